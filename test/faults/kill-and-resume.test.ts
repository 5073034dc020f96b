import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { checkLedger, openLedgerToRead } from '../../src/ledger/sqlite/index.js'
import { SeededRandom } from '../../src/model/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { GENERATED, type RunningCommand, start, temporary } from '../kit/orbweaver.js'

const SEED = 5

/** Pages that the ledger calls acknowledged. */
async function acknowledgedPages(directory: string): Promise<number> {
  const path = join(directory, 'ledger.db')
  if (!existsSync(path)) return 0
  const ledger = openLedgerToRead(path, systemClock.now)
  try {
    return (await ledger.totals()).pages
  } finally {
    await ledger.close()
  }
}

/** Resolves when another pack has been committed, or the command has ended. */
async function committed(directory: string, command: RunningCommand): Promise<void> {
  const before = await acknowledgedPages(directory)
  let ended = false
  void command.ended.then(() => {
    ended = true
  })
  while ((await acknowledgedPages(directory)) === before && !ended)
    await new Promise(resolve => setTimeout(resolve, 50))
}

/** Well above what an incarnation asks for beside pages: robots.txt, redirects. */
const UNACKNOWLEDGED = 60

/**
 * Resolves when an incarnation has told of requests whose pages are not acknowledged, or the command has
 * ended.
 */
async function toldOfMore(directory: string, command: RunningCommand): Promise<void> {
  const before = await acknowledgedPages(directory)
  let ended = false
  void command.ended.then(() => {
    ended = true
  })
  while (!ended) {
    const own = (await acknowledgedPages(directory)) - before
    if ((await toldFetches(directory)) >= own + UNACKNOWLEDGED) return
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/** Requests that the incarnation that is open has told of. */
async function toldFetches(directory: string): Promise<number> {
  const ledger = openLedgerToRead(join(directory, 'ledger.db'), systemClock.now)
  try {
    // One of them only coordinates.
    const open = (await ledger.agents()).filter(incarnation => incarnation.open && incarnation.status !== '')
    return Math.max(0, ...open.map(({ status }) => Number(JSON.parse(status).fetches ?? 0)))
  } finally {
    await ledger.close()
  }
}

/** Resolves when the server has answered `more` further requests, or the command has ended. */
async function served(server: WebServer, more: number, command: RunningCommand): Promise<void> {
  const goal = server.counts().requests + more
  let ended = false
  void command.ended.then(() => {
    ended = true
  })
  while (server.counts().requests < goal && !ended) await new Promise(resolve => setTimeout(resolve, 5))
}

/** Crawls `pages` pages, killed `kills` times. */
async function expectResumed(kills: number, pages: number): Promise<void> {
  const random = new SeededRandom(SEED)
  const plan = new WebPlan({ sites: 12, pages, seed: SEED })
  const knobs = { clock: systemClock, port: 0, latencyMs: 8 }
  const server = await WebServer.listen(plan, knobs)
  const out = temporary('crawl')
  const acknowledged = new Set<string>()
  let command = start(['crawl', server.seed, ...GENERATED, '--out', out])
  for (let kill = 0; kill < kills; kill++) {
    // Requests answered since the start are in a pack that is not committed yet, at least the last of them.
    await served(server, 10 + Math.floor(random.next() * 60), command)
    if (kill % 3 === 2) {
      await committed(out, command)
      await served(server, 1 + Math.floor(random.next() * 40), command)
    }
    // What a killed incarnation has fetched in vain is known only where it told of it.
    if (kill % 6 === 4) await toldOfMore(out, command)
    command.process.kill('SIGKILL')
    expect((await command.ended).signal, command.said()).toBe('SIGKILL')
    expect(checkLedger(out), `after kill ${kill}`).toEqual({ at: 'sound', isOpen: expect.any(Boolean) })
    for (const url of await urlsWith(out, 'OK')) acknowledged.add(url)
    command = start(['resume', out])
  }
  // All kills are over: the crawl need not last any longer.
  knobs.latencyMs = 0
  const end = await command.ended
  expect(end.code, end.stderr).toBe(0)
  const expected = [...truth(plan, server.authority)].sort()
  const stored = await urlsWith(out, 'OK')
  const check = await checkWarcs(out)
  const counts = server.counts()
  await server.close()
  // P1: what was acknowledged at a kill is still there. P2: nothing is missing. P3: nothing is stored twice.
  expect([...acknowledged].filter(url => !stored.includes(url))).toEqual([])
  expect([...stored].sort()).toEqual(expected)
  // P4: every WARC verifies, and holds every page once.
  expect(check.problems).toEqual([])
  expect([...check.pages].sort()).toEqual(expected)
  // The kills hit something: pages of uncommitted packs were fetched again.
  expect(acknowledged.size).toBeGreaterThan(0)
  expect(counts.repeats).toBeGreaterThan(kills)
  // The report counts all runs together, among them what was fetched again.
  const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'))
  expect(report).toMatchObject({ pages: expected.length, uniquePages: expected.length, overlap: 0 })
  expect(report.agents).toMatchObject([{ lives: kills + 1, pages: expected.length, workload: 1 }])
  expect(report.agents[0].fetches).toBeGreaterThan(expected.length)
  expect(report.overlapFetches).toBeGreaterThan(0)
}

describe('kill -9 at any moment, then resume (P1-P4)', () => {
  // Of five kills each kind is one: at any moment, after a commit, after a heartbeat.
  it('holds over 5 kills in one crawl', () => expectResumed(5, 2_000))
  it('holds over 20 kills in one crawl', { tags: 'deep' }, () => expectResumed(20, 8_000))
})
