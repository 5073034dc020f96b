import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Ledger, PackCell, ReceivedMessages } from '../ledger/index.js'
import { openSqliteLedger } from '../ledger/sqlite/index.js'
import type { Lease, OutcomeCode } from '../model/index.js'
import { FrontierSpace, JournalWriter } from '../page/frontier/index.js'
import { countUrls } from './count-urls.js'
import { buildReport, type Report } from './report.js'

const SITE = 'a.test'
const url = (path: string) => `http://${SITE}${path}`

describe('the report', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orb-report-'))
  let ledger: Ledger
  let space: FrontierSpace
  let lives = 0
  beforeEach(() => {
    ledger = openSqliteLedger(join(folder, `${++lives}.db`), { create: true, now: () => 1_000 })
    space = new FrontierSpace({
      folder: join(folder, `${lives}`),
      seenBytes: 1e6,
      queueBytes: 1e6,
      salt: 1,
    })
  })
  afterEach(async () => {
    space.close()
    await ledger.close()
  })

  /** One pack of one incarnation, with an outcome for each URL and the tries before it. */
  async function crawl(
    agent: string,
    site: string,
    outcomes: readonly (readonly [string, OutcomeCode])[],
    told: { fetches: number; fetchMs: number; retried?: readonly string[]; received?: ReceivedMessages },
  ): Promise<void> {
    const me = await ledger.join(agent)
    await ledger.append([{ cell: site, group: site, rows: [] }])
    const [lease] = await ledger.grant(me, [site], 10_000, 0)
    const journal = new JournalWriter(site)
    for (const path of told.retried ?? []) journal.retry(url(path), 2, 0)
    for (const [path, code] of outcomes) journal.outcome(url(path), code)
    const cells = [cellOf(lease, journal.finish(), outcomes, told.fetchMs)]
    const lanes = [{ lane: 1, pages: 0, fetchMs: told.fetchMs }]
    const received = told.received ?? { links: 0, pages: new Uint8Array(0), sites: new Uint8Array(0) }
    const id = `${me}`
    const pack = {
      id,
      incarnation: me,
      cells,
      appends: [],
      files: [],
      fetches: 0,
      lanes,
      received,
      waits: [],
    }
    expect(await ledger.commit(pack)).toEqual({ status: 'committed' })
    await ledger.heartbeat(me, 10_000, JSON.stringify({ fetches: told.fetches }))
    await ledger.leave(me)
  }

  const report = async (compare: () => Promise<Report['recrawl']> = async () => null) =>
    buildReport(ledger, {
      version: '1',
      seeds: [url('/')],
      startedAtMs: 0,
      endedAtMs: 1_000,
      seconds: 1,
      cpuSeconds: 1,
      urls: await countUrls(ledger, space),
      robots: { mode: 'strict', maxFailures: 3 },
      damaged: [],
      routing: null,
      routed: null,
      repartitions: [],
      warnings: [],
      compare,
    })

  it('counts a page that is stored twice', async () => {
    await crawl('a', SITE, [['/', 'OK']], { fetches: 1, fetchMs: 1 })
    await crawl(
      'a',
      SITE,
      [
        ['/', 'OK'],
        ['/2', 'NOT_MODIFIED'],
      ],
      { fetches: 2, fetchMs: 1 },
    )
    expect(await report()).toMatchObject({ pages: 3, uniquePages: 2, overlap: 0.5 })
  })

  it('counts requests beyond the first over all runs, and not what was never asked', async () => {
    const outcomes = [
      ['/', 'OK'],
      ['/slow', 'OK'],
      ['/gone', 'HTTP_CLIENT_ERROR'],
      ['/picture', 'TYPE_NOT_WANTED'],
      ['/secret', 'ROBOTS_DISALLOWED'],
    ] as const
    await crawl('a', SITE, [], { fetches: 3, fetchMs: 5, retried: ['/slow'] })
    await crawl('a', SITE, outcomes, { fetches: 4, fetchMs: 5, retried: ['/slow'] })
    const { overlapFetches, agents, uniquePages } = await report()
    expect(uniquePages).toBe(2)
    // 7 requests for 4 URLs, 2 pages.
    expect(overlapFetches).toBe(1.5)
    const lanes = [{ lane: 1, pages: 0, workload: 1 }]
    expect(agents).toEqual([{ name: 'a', lives: 2, pages: 2, bytes: 0, fetches: 7, workload: 1, lanes }])
  })

  it('compares with the previous crawl when the crawl is done, not when the run was interrupted', async () => {
    const changes = { previous: 'before', new: 1, changed: 0, unchanged: 0, gone: 0, noPage: 0 }
    const forbidden = () => Promise.reject(new Error('must not be asked'))
    expect(await report(forbidden)).toMatchObject({ finishReason: 'stopped', recrawl: null })
    expect(await ledger.tryEnd()).toBe('done')
    expect(await report(async () => changes)).toMatchObject({ finishReason: 'done', recrawl: changes })
  })

  it('shares the work among the agents by fetch time', async () => {
    await crawl('a', SITE, [['/', 'OK']], { fetches: 1, fetchMs: 300 })
    await crawl('b', 'b.test', [], { fetches: 1, fetchMs: 100 })
    const { agents, workloadStdev } = await report()
    expect(agents.map(agent => agent.workload)).toEqual([0.75, 0.25])
    expect(workloadStdev).toBe(0.354)
  })

  it('adds up what agents sent each other', async () => {
    const received = { links: 5, pages: new Uint8Array(16), sites: new Uint8Array(8) }
    await crawl('a', SITE, [['/', 'OK']], { fetches: 1, fetchMs: 1, received })
    await crawl('b', 'b.test', [['/b', 'OK']], { fetches: 1, fetchMs: 1, received })
    expect(await report()).toMatchObject({ communication: 5, messages: 4, coalescedMessages: 2 })
  })

  it('names as trouble what failed or was refused, and nothing else', async () => {
    const fine = ['OK', 'NOT_MODIFIED', 'REDIRECT', 'SITEMAP', 'PROBE', 'TRAP:session-ids'] as const
    const bad = ['HTTP_CLIENT_ERROR', 'RESET', 'ROBOTS_DISALLOWED', 'TRAP:calendar', 'URL_TOO_LONG'] as const
    const outcomes = [...fine, ...bad].map(code => [`/${code}`, code] as const)
    await crawl('a', SITE, outcomes, { fetches: 9, fetchMs: 1 })
    const { troubledSites } = await report()
    expect(troubledSites.map(({ code }) => code).sort()).toEqual([...bad].sort())
  })
})

function cellOf(
  lease: Lease,
  journal: Uint8Array,
  outcomes: readonly (readonly [string, OutcomeCode])[],
  fetchMs: number,
): PackCell {
  return {
    cell: lease.cell,
    epoch: lease.epoch,
    number: lease.lastPack + 1,
    journal,
    consumed: 0,
    cursor: lease.cursor,
    discovered: outcomes.length,
    settled: outcomes.length,
    pages: outcomes.filter(([, code]) => code === 'OK' || code === 'NOT_MODIFIED').length,
    bytes: 0,
    fetchMs,
    firstFetch: 0,
    lastFetch: 0,
    outcomes: outcomes.map(([, code]) => ({ code, count: 1, detail: '' })),
  }
}
