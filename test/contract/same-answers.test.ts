/** The other ledgers answer whatever the one on SQLite answers, also to calls in orders nobody thought of. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock as clock } from '../../src/compose/index.js'
import type { Ledger } from '../../src/ledger/index.js'
import { openMemoryLedger } from '../../src/ledger/memory/index.js'
import { openPostgresLedger } from '../../src/ledger/postgres/index.js'
import { openSqliteLedger } from '../../src/ledger/sqlite/index.js'
import { ownTurn, SeededRandom } from '../../src/model/index.js'
import { type PostgresPlace, readPostgresUrl } from '../../src/model/url/index.js'
import { testDatabase } from '../kit/postgres.js'

const RUNS = { memory: 12, postgres: 3 }
const CALLS = 250
const LEASE = 10_000
const CELLS = ['a.test', 'www.b.test', 'old.b.test', 'c.test', 'd.test', 'e.test', 'www.f.test', 'x.f.test']
const halvesOf = (site: string) => [`${site}##/5`, `${site}#/5#`].map(cell => ({ cell, queued: 1 }))
const groupOf = (cell: string) => cell.split('.').slice(-2).join('.')

type Call = (ledger: Ledger, held: Map<string, Held>) => Promise<unknown>
interface Held {
  readonly agent: number
  readonly epoch: number
  number: number
  cursor: number
}

/** One call made of chance; both ledgers are asked the same, each with the cursor that it gave itself. */
function aCall(random: SeededRandom, held: Map<string, Held>, count: number): Call {
  const below = (most: number) => Math.floor(random.next() * most)
  const cell = CELLS[below(CELLS.length)]
  const mine = held.get(cell)
  const epoch = (mine?.epoch ?? 1) - (below(8) === 0 ? 1 : 0)
  const agent = mine && below(4) > 0 ? mine.agent : 1 + below(5)
  const until = 1_000_000 + below(200_000)
  const urls = Array.from({ length: 1 + below(3) }, () => `http://${cell}/${below(100)}`)
  const rows = urls.map(url => ({ url, depth: below(3), hops: 0, score: 0, via: '' }))
  const target = CELLS[below(CELLS.length)]
  const append = { cell: target, group: groupOf(target), rows }
  const commit: Call = async (ledger, own) => {
    const after = own.get(cell)?.cursor ?? 0
    const inbox = await ledger.readInbox(cell, after, 1 + (count % 3))
    const cursor = inbox.at(-1)?.position ?? after
    const shared = {
      cell,
      epoch,
      number: mine?.number ?? 1,
      journal: new Uint8Array([count & 255]),
      consumed: inbox.length,
      cursor,
      discovered: inbox.length,
      settled: 1,
      pages: 1,
      bytes: 10,
      fetchMs: 5,
      firstFetch: count,
      lastFetch: count,
      outcomes: [{ code: 'OK' as const, count: 1, detail: `d${count % 7}` }],
    }
    const files = [{ name: `f${count % 5}`, kind: 'warc', bytes: count }]
    const waits = [{ group: groupOf(cell), nextAllowed: until }]
    const pack = {
      id: `p${count}`,
      incarnation: agent,
      cells: [shared],
      appends: [append],
      files,
      fetches: count,
      lanes: [{ lane: 1 + (count % 3), pages: 1, fetchMs: count % 9 }],
      received: { links: count % 3, pages: new Uint8Array(count % 3 ? 8 : 0), sites: new Uint8Array(0) },
      waits,
    }
    const answer = await ledger.commit(pack)
    return [answer, { cursor }, count % 4 === 0 ? await ledger.commit(pack) : null]
  }
  const calls: readonly Call[] = [
    ledger => ledger.append([append]),
    ledger => ledger.append([append]),
    ledger => ledger.join(`agent-${count % 3}`),
    ledger => ledger.heartbeat(agent, LEASE, `{"fetches":${count}}`),
    ledger => ledger.heartbeat(1 + (count % 5), LEASE, '{}'),
    ledger => ledger.waiting(1 + (count % 5), count % 2 === 0 ? [agent] : undefined),
    ledger => ledger.countWaiting(1 + (count % 5)),
    ledger => ledger.grant(agent, CELLS.slice(count % 5), LEASE, 250),
    ledger => ledger.leases(agent, count % 9),
    ledger => ledger.takeSeat(agent, LEASE),
    ledger => ledger.closeSilent(LEASE * 2),
    ledger => (count % 3 === 0 ? ledger.rankBySize() : ledger.estimate([{ cell, size: count % 50 }])),
    ledger => ledger.agents(),
    ledger =>
      count % 3 === 0
        ? ledger.laneLoads()
        : ledger.bind([{ cell, agent: `agent-${count % 3}`, lane: 1 + (count % 2) }]),
    ledger => ledger.grant(agent, [cell, target], LEASE, 0),
    commit,
    commit,
    commit,
    ledger => ledger.finish(cell, epoch),
    ledger => ledger.release(cell, epoch, count % 2 === 0 ? 'head' : 'tail'),
    ledger => ledger.park(cell, epoch, until, 'why'),
    ledger => ledger.rest(cell, epoch, until),
    ledger =>
      count % 4 === 0
        ? ledger.split(cell, epoch, (mine?.number ?? 1) - 1, halvesOf(cell))
        : ledger.waiting(20),
    ledger => ledger.defer([{ cell, until }]),
    ledger => (count % 9 === 0 ? ledger.leave(agent) : ledger.takeBudget(agent, count % 4, 3)),
    ledger => ledger.takeTurn(agent, groupOf(cell), LEASE, 100),
    ledger => ledger.releaseTurn(agent, groupOf(cell), until),
    ledger => ledger.saveWait(count % 2 === 0 ? ownTurn(cell) : groupOf(cell), until, count % 1_000),
    ledger => ledger.swapFiles([`f${count % 5}`], [{ name: `g${count}`, kind: 'pages', bytes: 1 }]),
    ledger => (count % 20 === 0 ? ledger.tryEnd() : ledger.totals()),
    ledger => (count % 30 === 0 ? ledger.endAllLeases() : ledger.parked(3)),
    ledger => (count % 3 === 0 ? ledger.reopen() : ledger.agents()),
    ledger => ledger.set({ maxPages: count % 2 === 0 ? '' : String(20 + (count % 40)) }),
    ledger => ledger.joinAddresses(cell, ['192.0.2.1', `192.0.2.${count % 4}`], 2),
  ]
  return calls[below(calls.length)]
}

async function everything(ledger: Ledger): Promise<unknown> {
  const cells = CELLS.flatMap(site => [site, ...halvesOf(site).map(({ cell }) => cell)])
  const inboxes = await Promise.all(cells.map(cell => ledger.readInbox(cell, 0, 100)))
  const journals = await ledger.readJournals({ cell: '', number: 0 }, 1e6)
  const sites = await ledger.sites('', 100)
  const [totals, files, work] = [await ledger.totals(), await ledger.files(), await ledger.agentWork()]
  return {
    inboxes,
    journals: journals.map(row => [row.cell, row.number, [...row.journal]]),
    sites,
    totals,
    files,
    work,
  }
}

let database: Awaited<ReturnType<typeof testDatabase>>
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.remove())

it('in memory answers like SQLite to any sequence of calls, inbox positions apart', async () => {
  for (let seed = 1; seed <= RUNS.memory; seed++) await compare(seed, async now => openMemoryLedger(now))
})

it('on PostgreSQL answers like SQLite to any sequence of calls, inbox positions apart', async () => {
  const place = readPostgresUrl(database.url) as PostgresPlace
  for (let seed = 1; seed <= RUNS.postgres; seed++) {
    const open = (now: () => number) =>
      openPostgresLedger({
        place,
        crawl: `same ${seed}`,
        create: true,
        clock,
        timeSql: () => `${now()}::bigint`,
      })
    await compare(seed, open)
  }
})

async function compare(seed: number, open: (now: () => number) => Promise<Ledger>): Promise<void> {
  let now = 1_000_000
  const path = join(mkdtempSync(join(tmpdir(), 'orb-same-')), 'ledger.db')
  const sqlite = openSqliteLedger(path, { create: true, now: () => now })
  const other = await open(() => now)
  const random = new SeededRandom(seed)
  const [held, heldThere] = [new Map<string, Held>(), new Map<string, Held>()]
  for (const ledger of [sqlite, other]) for (const name of ['a', 'b', 'b', 'c', 'd']) await ledger.join(name)
  for (let count = 1; count <= CALLS; count++) {
    now += Math.floor(random.next() ** 4 * 2 * LEASE)
    const call = aCall(random, held, count)
    const [expected, answer] = [await call(sqlite, held), await call(other, heldThere)]
    const where = `seed ${seed}, call ${count}`
    expect(withoutPositions(plain(answer)), where).toEqual(withoutPositions(plain(expected)))
    remember(held, expected)
    remember(heldThere, answer)
  }
  const [all, expected] = [await everything(other), await everything(sqlite)]
  expect(withoutPositions(all), `seed ${seed}`).toEqual(withoutPositions(expected))
  await sqlite.close()
  await other.close()
}

/** Outcomes with equal counts, and the cells an incarnation holds, come in any order. */
function plain(answer: unknown): unknown {
  const sorted = (value: unknown[]) =>
    [...value].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  const text = JSON.stringify(answer ?? null, (key, value) =>
    key === 'outcomes' || key === 'held' ? sorted(value as unknown[]) : value,
  )
  return JSON.parse(text)
}

/** Positions grow on every ledger, each in its own way. */
function withoutPositions(answer: unknown): unknown {
  const isPosition = (key: string) => key === 'position' || key === 'cursor'
  return plain(JSON.parse(JSON.stringify(answer, (key, value) => (isPosition(key) ? undefined : value))))
}

/** Follows leases and packs as an agent would, so that most calls are meaningful. */
function remember(held: Map<string, Held>, answer: unknown): void {
  if (!Array.isArray(answer)) return
  for (const lease of answer) {
    if (lease === null || typeof lease !== 'object' || !('lastPack' in lease)) continue
    const { cell, epoch, lastPack, cursor } = lease as {
      cell: string
      epoch: number
      lastPack: number
      cursor: number
    }
    held.set(cell, { agent: held.get(cell)?.agent ?? 1, epoch, number: lastPack + 1, cursor })
  }
}
