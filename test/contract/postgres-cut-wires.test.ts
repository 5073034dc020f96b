/**
 * Connections that break in the middle of a transaction, before its COMMIT arrives or before its answer does.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock as clock } from '../../src/compose/index.js'
import { type Ledger, type Pack, retryingLedger } from '../../src/ledger/index.js'
import { openPostgresLedger } from '../../src/ledger/postgres/index.js'
import { type Lease, SeededRandom } from '../../src/model/index.js'
import { type PostgresPlace, readPostgresUrl } from '../../src/model/url/index.js'
import { testDatabase } from '../kit/postgres.js'
import { type Cut, TcpProxy } from '../kit/tcp-proxy.js'

const LEASE = 600_000
const PACKS = 24
const PLACES = ['COMMIT', 'BEGIN', 'pack_cell', 'inbox', 'agent', 'crawl'] as const

let database: Awaited<ReturnType<typeof testDatabase>>
let proxy: TcpProxy
let place: PostgresPlace
let count = 0

beforeAll(async () => {
  database = await testDatabase()
  const there = readPostgresUrl(database.url) as PostgresPlace
  proxy = await TcpProxy.listen(there.hosts[0].host, there.hosts[0].port)
  place = { ...there, hosts: [{ host: '127.0.0.1', port: proxy.port }] }
})
afterAll(async () => {
  await proxy.close()
  await database.remove()
})

const open = () => openPostgresLedger({ place, crawl: `cut ${++count}`, create: true, clock })
const links = (cell: string, path: string) => [
  { cell, group: cell, rows: [{ url: `http://${cell}${path}`, depth: 0, hops: 0, score: 0, via: '' }] },
]

function packOf(incarnation: number, held: Lease, number: number): Pack {
  const counts = { consumed: 0, cursor: 0, discovered: 1, settled: 1, pages: 1, bytes: 7 }
  const times = { fetchMs: 0, firstFetch: 0, lastFetch: 0 }
  const journal = new Uint8Array([number])
  const share = { cell: held.cell, epoch: held.epoch, number, journal, ...counts, ...times, outcomes: [] }
  return {
    id: `pack ${number}`,
    incarnation,
    cells: [share],
    appends: links('b.test', `/${number}`),
    files: [{ name: 'w', kind: 'warc', bytes: number }],
    fetches: number,
    lanes: [{ lane: 1, pages: 1, fetchMs: 0 }],
    received: { links: 0, pages: new Uint8Array(0), sites: new Uint8Array(0) },
    waits: [],
  }
}

async function leased(ledger: Ledger): Promise<{ me: number; held: Lease }> {
  const me = await ledger.join('a')
  await ledger.append(links('a.test', '/'))
  const [held] = await ledger.grant(me, ['a.test'], LEASE, 0)
  return { me, held }
}

it('a pack whose COMMIT was carried out and whose answer was lost is committed once', async () => {
  const ledger = await open()
  const { me, held } = await leased(ledger)
  const pack = packOf(me, held, 1)
  proxy.cutNext({ at: 'COMMIT', loses: 'answer' })
  await expect(ledger.commit(pack)).rejects.toMatchObject({ kind: 'away' })
  expect((await ledger.totals()).pages).toBe(1)
  expect(await ledger.commit(pack)).toEqual({ status: 'committed' })
  expect(await ledger.totals()).toMatchObject({ pages: 1, backlog: 2 })
  await ledger.close()
})

it('a pack whose COMMIT never arrived is not there, and is committed when it is sent again', async () => {
  const ledger = await open()
  const { me, held } = await leased(ledger)
  const pack = packOf(me, held, 1)
  proxy.cutNext({ at: 'COMMIT', loses: 'request' })
  await expect(ledger.commit(pack)).rejects.toMatchObject({ kind: 'away' })
  expect((await ledger.totals()).pages).toBe(0)
  expect(await ledger.commit(pack)).toEqual({ status: 'committed' })
  expect(await ledger.totals()).toMatchObject({ pages: 1, backlog: 2 })
  await ledger.close()
})

it('wherever the wire is cut, every pack is committed once, with its links', async () => {
  const random = new SeededRandom(7)
  const plain = await open()
  const ledger = retryingLedger(plain, { ...clock, after: (_ms, task) => clock.after(1, task) })
  const { me, held } = await leased(ledger)
  const before = proxy.cuts
  for (let number = 1; number <= PACKS; number++) {
    const at = PLACES[Math.floor(random.next() * PLACES.length)]
    const cut: Cut = { at, loses: random.next() < 0.5 ? 'request' : 'answer' }
    proxy.cutNext(cut)
    expect(await ledger.commit(packOf(me, held, number)), `pack ${number}`).toEqual({ status: 'committed' })
    if (number % 4 === 0) expect((await ledger.heartbeat(me, LEASE, '{}')).held).toHaveLength(1)
  }
  expect(proxy.cuts - before).toBeGreaterThan(PACKS / 3)
  expect(await ledger.totals()).toMatchObject({ pages: PACKS, bytes: 7 * PACKS, backlog: PACKS + 1 })
  expect(await ledger.readInbox('b.test', 0, 100)).toHaveLength(PACKS)
  expect(await ledger.readJournal('a.test', 0, 1e6)).toHaveLength(PACKS)
  expect(await ledger.agentWork()).toMatchObject([{ pages: PACKS, lanes: [{ pages: PACKS }] }])
  await ledger.close()
})
