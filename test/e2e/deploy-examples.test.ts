/**
 * The examples in deploy/: their commands, run as they stand there, on a database, a web and a folder of the
 * test.
 *
 * @module-tag deep
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { urlsWith } from '../kit/crawled.js'
import { BIN, GENERATED, orbweaver, type RunningCommand, start, temporary } from '../kit/orbweaver.js'
import { PostgresServer } from '../kit/postgres.js'

const folder = fileURLToPath(new URL('../../deploy', import.meta.url))
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const compose = read('docker-compose.yml')
const PASSWORD = 'of-the-example'
const env = {
  PGPASSWORD: PASSWORD,
  ORBWEAVER: `${process.execPath} ${BIN}`,
  ORBWEAVER_FAULTS: 'lease=3000',
}
const plan = new WebPlan({ sites: 8, pages: 400, seed: 6 })

/** The lines of one service. */
function service(name: string): string {
  const found = new RegExp(`^  ${name}:\\n((?:    .*\\n|\\n)+)`, 'm').exec(compose)
  expect(found, name).not.toBeNull()
  return found![1]
}

/** Lists of words are written as in JSON, but for a comma; that all of it is YAML is seen by the linter. */
function words(lines: string, key: string): string[] {
  const found = new RegExp(`^    ${key}:\\s+(\\[[^\\]]*\\])$`, 'm').exec(lines)
  expect(found, key).not.toBeNull()
  return JSON.parse(found![1].replace(/,\s*\]/, ']')) as string[]
}

describe('the example of containers', () => {
  const out = temporary('crawl')
  let postgres: PostgresServer
  let web: WebServer

  beforeAll(async () => {
    postgres = await PostgresServer.start({ password: PASSWORD })
    web = await WebServer.listen(plan, { clock: systemClock, port: 0 })
  })
  afterAll(async () => {
    await web.close()
    await postgres.remove()
  })

  const here = (word: string) =>
    word
      .replace('/crawl/example', out)
      .replace('postgres://orbweaver@db/orbweaver', postgres.url())
      .replace(/^https:\/\/example\.org$/, web.seed)
      .replace('/usr/local/bin', folder)

  function coordinate(...more: string[]): { end: Promise<number | null>; stop(): void; said(): string } {
    const lines = service('coordinator')
    const [command, ...args] = [...words(lines, 'entrypoint'), ...words(lines, 'command')].map(here)
    const child = spawn(command, [...args, ...GENERATED, ...more], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', chunk => {
      said += chunk
    })
    const end = once(child, 'close').then(([code]) => code as number | null)
    return { end, stop: () => void child.kill('SIGTERM'), said: () => said }
  }

  it('crawls with its agents, stops when it is told to, and goes on when it is started again', async () => {
    const first = coordinate('--rate', '120')
    while (web.counts().requests < 60) await sleep(20)
    const replicas = Number(/replicas: (\d+)/.exec(service('agent'))![1])
    const agents: RunningCommand[] = []
    for (let i = 0; i < replicas; i++) agents.push(start(words(service('agent'), 'command').map(here), env))
    while (agents.some(({ said }) => !said().includes('joins'))) await sleep(20)
    first.stop()
    expect(await first.end, first.said()).toBe(0)
    const second = coordinate()
    expect(await second.end, second.said()).toBe(0)
    // Those that the stop has ended say so.
    for (const { code } of await Promise.all(agents.map(({ ended }) => ended)))
      expect([0, 11]).toContain(code)
    expect((await urlsWith(out, 'OK')).sort()).toEqual([...truth(plan, web.authority)].sort())
  })

  it('has units of systemd whose commands do the same', async () => {
    const units = readdirSync(folder).filter(name => name.endsWith('@.service'))
    expect(units).toHaveLength(2)
    for (const unit of units) {
      const [, command] = /^ExecStart=\/usr\/bin\/orbweaver (.*)$/m.exec(read(unit))!
      const { code, stderr } = await orbweaver(command.replace('/srv/crawls/%i', out).split(' '), env)
      expect(code, stderr).toBe(0)
    }
  })

  it('has a unit of systemd that starts a host', async () => {
    const [, command] = /^ExecStart=\/usr\/bin\/orbweaver (.*)$/m.exec(read('orbweaver-host.service'))!
    const state = temporary('host')
    expect((await orbweaver(['host', 'init', '--dir', state])).code).toBe(0)
    const args = command.replace('/var/lib/orbweaver-host', state).split(' ')
    const host = start([...args, '--listen', '127.0.0.1:0'])
    let said = ''
    host.process.stdout?.on('data', chunk => {
      said += chunk
    })
    await vi.waitFor(() => expect(said).toMatch(/listening on http:\/\/127\.0\.0\.1:\d+\//), 60_000)
    host.process.kill('SIGTERM')
    expect((await host.ended).code).toBe(0)
  })

  it('says no password, and knows the variables it needs', () => {
    expect(compose).not.toMatch(/PASSWORD: [^$\n]/)
    expect(compose).not.toContain('\t')
    for (const line of compose.split('\n')) expect(/^ */.exec(line)![0].length % 2, line).toBe(0)
  })
})
