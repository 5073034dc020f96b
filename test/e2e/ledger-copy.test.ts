/** The ledger of a crawl moves to PostgreSQL and back while the crawl is half done: nothing is lost, nothing is fetched twice. */
import { readdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/system.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { GENERATED, orbweaver, type RunningCommand, start, temporary } from '../kit/orbweaver.js'
import { PostgresServer } from '../kit/postgres.js'

const PAGES = 900
const env = { ORBWEAVER_FAULTS: 'lease=3000' }

describe('orbweaver ledger copy', () => {
  let postgres: PostgresServer
  let web: WebServer
  let expected: string[]
  const running: RunningCommand[] = []

  beforeAll(async () => {
    postgres = await PostgresServer.start()
    const plan = new WebPlan({ sites: 15, pages: PAGES, seed: 6 })
    web = await WebServer.listen(plan, { clock: systemClock, port: 0 })
    expected = [...truth(plan, web.authority)].sort()
  })
  afterAll(async () => {
    for (const { process } of running) process.kill('SIGKILL')
    await web.close()
    await postgres.remove()
  })

  const begin = (args: readonly string[]) => {
    const command = start(args, env)
    running.push(command)
    return command
  }

  async function untilAsked(requests: number, { process, said }: RunningCommand): Promise<void> {
    while (web.counts().requests < requests) {
      expect(process.exitCode, said()).toBeNull()
      await sleep(20)
    }
  }

  const copy = (...args: string[]) => orbweaver(['ledger', 'copy', ...args], env)

  it('moves half a crawl to PostgreSQL, and later back: equal to the truth, each page once', async () => {
    const out = temporary('crawl')
    const known = `${temporary('known')}.txt`
    writeFileSync(known, `${expected.join('\n')}\n`)
    const named = ['--ledger', postgres.url(), '--name', 'moved']
    const first = begin(['crawl', web.seed, ...GENERATED, '--truth', known, '--rate', '100', '--out', out])
    await untilAsked(PAGES * 0.2, first)
    const busy = await copy(out, postgres.url(), '--name', 'moved')
    expect(busy).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/^orbweaver: [^\n]+in use[^\n]+\n$/),
    })
    await untilAsked(PAGES * 0.3, first)
    first.process.kill('SIGKILL')
    await first.ended

    const there = await copy(out, postgres.url(), '--name', 'moved')
    expect(there, there.stderr).toMatchObject({ code: 0 })
    expect(readdirSync(out)).not.toContain('ledger.db')
    const second = begin(['resume', ...named])
    await untilAsked(PAGES * 0.6, second)
    const atWork = await copy(postgres.url(), out, '--name', 'moved')
    expect(atWork).toMatchObject({ code: 6, stderr: expect.stringContaining('at work already') })
    second.process.kill('SIGTERM')
    expect((await second.ended).code).toBe(11)

    const back = await copy(postgres.url(), out, '--name', 'moved')
    expect(back, back.stderr).toMatchObject({ code: 0 })
    // What was left in the database is not the truth of this crawl any more.
    expect((await orbweaver(['resume', ...named, '--store', out], env)).code).toBe(4)
    await orbweaver(['set', out, 'rate=0'])
    const { code, stdout, stderr } = await orbweaver(['resume', out, '--json'], env)
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ pages: expected.length, overlap: 0, coverage: 1 })
    expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
    const check = await checkWarcs(out)
    expect(check.problems).toEqual([])
    expect([...check.pages].sort()).toEqual(expected)

    // A third time, over what the second left behind; and nothing is lost of what is known.
    expect(await copy(out, postgres.url(), '--name', 'moved')).toMatchObject({ code: 0 })
    const status = await orbweaver(['status', ...named, '--json'])
    expect(JSON.parse(status.stdout)).toMatchObject({ pages: expected.length, finishReason: 'done' })
  })

  it('refuses what it cannot do, in one line', async () => {
    const out = temporary('crawl')
    const { code } = await orbweaver(['crawl', web.seed, ...GENERATED, '--max-pages', '5', '--out', out])
    expect(code).toBe(10)
    const answers = async (...args: string[]) => {
      const { code, stderr } = await copy(...args)
      expect(stderr).toMatch(/^orbweaver: [^\n]+\n$/)
      return code
    }
    expect(await answers(out, temporary('other'))).toBe(4)
    expect(await answers(postgres.url(), out)).toBe(4)
    expect(await answers(postgres.url(), out, '--name', 'no such crawl')).toBe(4)
    expect(await answers(postgres.url(), out, '--name', 'moved')).toBe(4)
    expect(await answers(out, postgres.url(), '--name', 'moved')).toBe(4)
    expect(await answers(out, 'postgres://me:secret@localhost/x')).toBe(4)
  })
})
