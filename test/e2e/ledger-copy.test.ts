/**
 * The ledger of a crawl moves to PostgreSQL and back while the crawl is half done: nothing is lost, nothing
 * is fetched twice.
 *
 * @module-tag deep
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebPlan } from '../../src/simulate/web/index.js'
import { ClusterWeb, SHORT_LEASES as env } from '../kit/cluster-web.js'
import { GENERATED, orbweaver, type RunningCommand, temporary } from '../kit/orbweaver.js'

const PAGES = 900

describe('orbweaver ledger copy', () => {
  let cluster: ClusterWeb
  let expected: readonly string[]

  beforeAll(async () => {
    cluster = await ClusterWeb.start(new WebPlan({ sites: 15, pages: PAGES, seed: 6 }))
    expected = cluster.expected
  })
  afterAll(() => cluster.close())

  const begin = (args: readonly string[]) => cluster.begin(args)
  const untilAsked = (requests: number, command: RunningCommand) => cluster.untilAsked(requests, command)
  const copy = (...args: string[]) => orbweaver(['ledger', 'copy', ...args], env)

  it('moves half a crawl to PostgreSQL, and later back: equal to the truth, each page once', async () => {
    const out = temporary('crawl')
    const known = `${temporary('known')}.txt`
    writeFileSync(known, `${expected.join('\n')}\n`)
    const named = cluster.named('moved')
    const first = begin([
      'crawl',
      cluster.web.seed,
      ...GENERATED,
      '--truth',
      known,
      '--rate',
      '100',
      '--out',
      out,
    ])
    await untilAsked(PAGES * 0.2, first)
    const busy = await copy(out, cluster.postgres.url(), '--name', 'moved')
    expect(busy).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/^orbweaver: [^\n]+in use[^\n]+\n$/),
    })
    await untilAsked(PAGES * 0.3, first)
    first.process.kill('SIGKILL')
    await first.ended

    const there = await copy(out, cluster.postgres.url(), '--name', 'moved')
    expect(there, there.stderr).toMatchObject({ code: 0 })
    expect(readdirSync(out)).not.toContain('ledger.db')
    const second = begin(['resume', ...named])
    await untilAsked(PAGES * 0.6, second)
    const atWork = await copy(cluster.postgres.url(), out, '--name', 'moved')
    expect(atWork).toMatchObject({ code: 6, stderr: expect.stringContaining('at work already') })
    second.process.kill('SIGTERM')
    expect((await second.ended).code).toBe(11)

    const back = await copy(cluster.postgres.url(), out, '--name', 'moved')
    expect(back, back.stderr).toMatchObject({ code: 0 })
    // What was left in the database is not the truth of this crawl any more.
    expect((await orbweaver(['resume', ...named, '--store', out], env)).code).toBe(9)
    await orbweaver(['set', out, 'rate=0'])
    const { code, stdout, stderr } = await orbweaver(['resume', out, '--json'], env)
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ pages: expected.length, overlap: 0, coverage: 1 })
    await cluster.expectWhole(out)

    // A third time, over what the second left behind; and nothing is lost of what is known.
    expect(await copy(out, cluster.postgres.url(), '--name', 'moved')).toMatchObject({ code: 0 })
    const status = await orbweaver(['status', ...named, '--json'])
    expect(JSON.parse(status.stdout)).toMatchObject({ pages: expected.length, finishReason: 'done' })
  })

  it('refuses what it cannot do, in one line', async () => {
    const out = temporary('crawl')
    const { code } = await orbweaver([
      'crawl',
      cluster.web.seed,
      ...GENERATED,
      '--max-pages',
      '5',
      '--out',
      out,
    ])
    expect(code).toBe(10)
    const answers = async (...args: string[]) => {
      const { code, stderr } = await copy(...args)
      expect(stderr).toMatch(/^orbweaver: [^\n]+\n$/)
      return code
    }
    expect(await answers(out, temporary('other'))).toBe(4)
    expect(await answers(cluster.postgres.url(), out)).toBe(4)
    expect(await answers(cluster.postgres.url(), out, '--name', 'no such crawl')).toBe(4)
    expect(await answers(cluster.postgres.url(), out, '--name', 'moved')).toBe(9)
    expect(await answers(out, cluster.postgres.url(), '--name', 'moved')).toBe(4)
    expect(await answers(out, 'postgres://me:secret@localhost/x')).toBe(4)
  })
})
