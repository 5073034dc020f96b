/**
 * A terminal that is closed, and readers that leave, while a crawl runs.
 *
 * @module-tag deep
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exit/index.js'
import { systemClock } from '../../src/compose/index.js'
import { shellWord } from '../../src/model/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { urlsWith } from '../kit/crawled.js'
import { BIN, GENERATED, orbweaver, start, temporary } from '../kit/orbweaver.js'

/** 128 + SIGHUP: how a shell reports a process that this signal ended. */
const HUNG_UP = 129

describe('a crawl whose terminal is closed', () => {
  const plan = new WebPlan({ sites: 4, pages: 400, seed: 5 })
  let server: WebServer
  beforeAll(async () => {
    server = await WebServer.listen(plan, { clock: systemClock, port: 0, latencyMs: 5 })
  })
  afterAll(() => server.close())

  const requests = async (more: number) => {
    const goal = server.counts().requests + more
    while (server.counts().requests < goal) await sleep(10)
  }

  /** It sealed what it had fetched, and `resume` ends with everything, once. */
  const wasSealed = async (out: string) => {
    const report = JSON.parse(readFileSync(`${out}/report.json`, 'utf8'))
    expect(report.finishReason).toBe('stopped')
    expect(report.pages).toBeGreaterThan(50)
    expect(await urlsWith(out, 'OK')).toHaveLength(report.pages)
    expect((await orbweaver(['set', out, 'rate=0'])).code).toBe(EXIT.done)
    const rest = await orbweaver(['resume', out])
    expect(rest.code, rest.stderr).toBe(EXIT.done)
    expect((await urlsWith(out, 'OK')).sort()).toEqual([...truth(plan, server.authority)].sort())
  }

  it('seals and stops at SIGHUP as at SIGTERM, however often it comes', async () => {
    const out = temporary('crawl')
    const running = start(['crawl', server.seed, ...GENERATED, '--rate', '100', '--out', out])
    await requests(100)
    for (let i = 0; i < 3; i++) running.process.kill('SIGHUP')
    const { code, stderr } = await running.ended
    expect(code, stderr).toBe(EXIT.interrupted)
    await wasSealed(out)
  })

  it('seals and stops when the terminal is gone, though it can write to it no more', async () => {
    const out = temporary('crawl')
    const note = `${out}.code`
    const words = [process.execPath, BIN, 'crawl', server.seed, ...GENERATED, '--rate', '100', '--out', out]
    // As an interactive shell does, this one passes the signal on; then it tells how the crawl ended.
    const crawl = `${words.map(shellWord).join(' ')} & p=$!; trap 'kill -HUP $p' HUP`
    const line = `${crawl}; wait $p; wait $p; echo $? > ${shellWord(note)}`
    const terminal = spawn('script', ['-qfec', line, '/dev/null'], { stdio: ['pipe', 'ignore', 'inherit'] })
    await requests(100)
    terminal.kill('SIGKILL')
    while (!existsSync(note) || readFileSync(note, 'utf8') === '') await sleep(50)
    expect(Number(readFileSync(note, 'utf8'))).toBe(HUNG_UP)
    await wasSealed(out)
  })

  it('goes on to its end when nobody reads what it says', async () => {
    const out = temporary('crawl')
    const running = start(['crawl', server.seed, ...GENERATED, '--rate', '100', '--out', out])
    await requests(100)
    running.process.stderr?.destroy()
    // Setting the rate makes it say something.
    expect((await orbweaver(['set', out, 'rate=0'])).code).toBe(EXIT.done)
    expect((await running.ended).code).toBe(EXIT.done)
    expect((await urlsWith(out, 'OK')).sort()).toEqual([...truth(plan, server.authority)].sort())
  })
})
