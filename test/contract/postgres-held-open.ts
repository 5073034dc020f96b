/**
 * On PostgreSQL many write at once. A transaction is held open on a connection of its own, with what it did
 * half done, while the ledger is asked to finish, to read, to grant and to end; then the other way round.
 * Nothing is lost either way.
 */
import { Client } from 'pg'
import * as vitest from 'vitest'
import { expect } from 'vitest'
import type { Append, Ledger, Pack, PackCell } from '../../src/ledger/index.js'
import type { Lease } from '../../src/model/index.js'
import type { Runner } from './ledger-contract.js'

const LEASE = 10_000
const ROWS_PER_WRITER = 2 ** 17
const row = (url: string) => ({ url, depth: 1, hops: 0, score: 0, via: '' })
const append = (cell: string, ...paths: string[]): Append => ({
  cell,
  group: cell,
  rows: paths.map(path => row(`http://${cell}${path}`)),
})

/** A ledger, and a connection of somebody else to its tables. */
export interface SharedLedger {
  readonly ledger: Ledger
  readonly other: Client
  /** For those who look on. */
  readonly url: string
}

let ledger: Ledger
let other: Client
let url: string
let patienceMs: number

/** What an append of another process has done before its commit: the cell is counted up, the row is there. */
async function holdAppend(cell: string, url: string): Promise<void> {
  await other.query('BEGIN')
  const open = await other.query('SELECT state FROM crawl FOR KEY SHARE')
  expect(open.rows[0].state).toBe('open')
  await other.query(
    `UPDATE cell SET appended = appended + 1, state = CASE state WHEN 'finished' THEN 'waiting' ELSE state END
     WHERE cell = $1`,
    [cell],
  )
  await insertRow(cell, url)
}

async function insertRow(cell: string, url: string): Promise<void> {
  await other.query(
    `INSERT INTO inbox (cell, position, url, depth, hops, score, via)
     SELECT $1, (pg_current_xact_id()::text::bigint - first_x) * ${ROWS_PER_WRITER} + 1, $2, 1, 0, 0, '' FROM crawl`,
    [cell, url],
  )
}

/** Resolves once a call of the ledger waits for a row that the other connection holds. */
async function untilSomebodyWaits(): Promise<void> {
  const look = new Client({ connectionString: url })
  await look.connect()
  const waiting = `SELECT count(*)::int AS waiting FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND datname = current_database()`
  let isWaiting = false
  for (const end = Date.now() + patienceMs; !isWaiting && Date.now() < end; ) {
    isWaiting = (await look.query(waiting)).rows[0].waiting > 0
    await new Promise(soon => setTimeout(soon, 5))
  }
  await look.end()
}

async function leased(cell: string): Promise<{ me: number; held: Lease }> {
  const me = await ledger.join('a')
  await ledger.append([append(cell, '/')])
  const [held] = await ledger.grant(me, [cell], LEASE, 0)
  return { me, held }
}

async function readAll(cell: string, after: number): Promise<string[]> {
  const urls: string[] = []
  for (let cursor = after; ; ) {
    const rows = await ledger.readInbox(cell, cursor, 100)
    if (rows.length === 0) return urls
    urls.push(...rows.map(({ url }) => new URL(url).pathname))
    cursor = rows[rows.length - 1].position
  }
}

function pack(incarnation: number, id: string, held: Lease, over: Partial<PackCell>): Pack {
  const share: PackCell = {
    cell: held.cell,
    epoch: held.epoch,
    number: held.lastPack + 1,
    journal: new Uint8Array([1]),
    consumed: 0,
    cursor: held.cursor,
    discovered: 0,
    settled: 0,
    pages: 0,
    bytes: 0,
    fetchMs: 0,
    firstFetch: 0,
    lastFetch: 0,
    outcomes: [],
    ...over,
  }
  const heard = { links: 0, pages: new Uint8Array(0), sites: new Uint8Array(0) }
  const none = { appends: [], files: [], lanes: [], waits: [] }
  return { id, incarnation, cells: [share], fetches: 0, received: heard, ...none }
}

/** Everything of its inbox is read and committed: it could be finished. */
async function readyToFinish(cell: string): Promise<{ me: number; held: Lease }> {
  const { me, held } = await leased(cell)
  const [first] = await ledger.readInbox(cell, held.cursor, 10)
  await ledger.commit(pack(me, 'p1', held, { consumed: 1, cursor: first.position }))
  return { me, held }
}

export function heldOpen(
  name: string,
  open: () => Promise<SharedLedger>,
  { describe, it, beforeEach, afterEach }: Runner = vitest,
  mostMs = 60_000,
): void {
  patienceMs = mostMs
  describe(name, () => {
    beforeEach(async () => ({ ledger, other, url } = await open()))
    afterEach(async () => {
      await other.end()
      await ledger.close()
    })

    describe('an append that is held open', () => {
      it('keeps its cell from being finished: the finish waits for it and then sees it', async () => {
        const { held } = await readyToFinish('a.test')
        await holdAppend('a.test', 'http://a.test/late')
        const finished = ledger.finish('a.test', held.epoch)
        await untilSomebodyWaits()
        await other.query('COMMIT')
        expect(await finished).toBe(false)
        expect(await readAll('a.test', held.cursor)).toEqual(['/late'])
      })

      it('that is undone lets the finish go on', async () => {
        const { held } = await readyToFinish('a.test')
        await holdAppend('a.test', 'http://a.test/late')
        const finished = ledger.finish('a.test', held.epoch)
        await untilSomebodyWaits()
        await other.query('ROLLBACK')
        expect(await finished).toBe(true)
      })

      it('after a finish that is held open, turns the cell to waiting again', async () => {
        await readyToFinish('a.test')
        await other.query('BEGIN')
        await other.query(`UPDATE cell SET state = 'finished', agent = NULL WHERE cell = 'a.test'`)
        const appended = ledger.append([append('a.test', '/late')])
        await untilSomebodyWaits()
        await other.query('COMMIT')
        expect(await appended).toBe(true)
        expect((await ledger.totals()).cells).toMatchObject({ waiting: 1, finished: 0 })
      })

      it('is not passed over by a reader, whoever began first and whoever commits first', async () => {
        const { held } = await leased('a.test')
        const [first] = await ledger.readInbox('a.test', held.cursor, 10)
        // It has its number, and has written nothing to this cell yet.
        await other.query('BEGIN')
        await other.query('SELECT pg_current_xact_id()')
        await ledger.append([append('a.test', '/begun second, committed first')])
        expect(await readAll('a.test', first.position)).toEqual([])
        await insertRow('a.test', 'http://a.test/begun-first')
        expect(await readAll('a.test', first.position)).toEqual([])
        await other.query('COMMIT')
        expect(await readAll('a.test', first.position)).toEqual([
          '/begun-first',
          '/begun%20second,%20committed%20first',
        ])
      })

      it('keeps the crawl from ending, and is refused when the end is before it', async () => {
        const { held } = await readyToFinish('a.test')
        await ledger.finish('a.test', held.epoch)
        await holdAppend('a.test', 'http://a.test/late')
        const ended = ledger.tryEnd()
        await untilSomebodyWaits()
        await other.query('COMMIT')
        expect(await ended).toBeNull()
        expect((await ledger.waiting(9)).map(({ cell }) => cell)).toEqual(['a.test'])
      })

      it('waits for an end that is held open, and is refused', async () => {
        await other.query('BEGIN')
        await other.query('SELECT 1 FROM crawl FOR UPDATE')
        await other.query(`UPDATE crawl SET state = 'closed', finish_reason = 'done'`)
        const appended = ledger.append([append('a.test', '/late')])
        await untilSomebodyWaits()
        await other.query('COMMIT')
        expect(await appended).toBe(false)
        expect((await ledger.totals()).backlog).toBe(0)
      })

      it('does not keep its cell from being granted, and is counted in the lease that waited for it', async () => {
        const me = await ledger.join('a')
        await ledger.append([append('a.test', '/')])
        await holdAppend('a.test', 'http://a.test/late')
        const granted = ledger.grant(me, ['a.test'], LEASE, 0)
        await untilSomebodyWaits()
        await other.query('COMMIT')
        expect(await granted).toMatchObject([{ cell: 'a.test', appended: 2 }])
      })

      it('waits for a grant that is held open, and both hold', async () => {
        const me = await ledger.join('a')
        await ledger.append([append('a.test', '/')])
        await other.query('BEGIN')
        await other.query(
          `UPDATE cell SET state = 'leased', agent = $1, epoch = epoch + 1, lease_until = 4102444800000 WHERE cell = 'a.test'`,
          [me],
        )
        const appended = ledger.append([append('a.test', '/late')])
        await untilSomebodyWaits()
        await other.query('COMMIT')
        expect(await appended).toBe(true)
        expect((await ledger.totals()).cells).toMatchObject({ leased: 1 })
        expect(await readAll('a.test', 0)).toEqual(['/', '/late'])
      })
    })

    describe('a pack', () => {
      it('whose cell is being given to somebody else waits, and is stale', async () => {
        const { me, held } = await leased('a.test')
        await other.query('BEGIN')
        await other.query(`UPDATE cell SET epoch = epoch + 1, agent = 99 WHERE cell = 'a.test'`)
        const answer = ledger.commit(pack(me, 'p1', held, { pages: 1 }))
        await untilSomebodyWaits()
        await other.query('COMMIT')
        expect(await answer).toEqual({ status: 'stale', cells: ['a.test'] })
        expect((await ledger.totals()).pages).toBe(0)
      })

      it('of an incarnation that is being closed waits, and is refused', async () => {
        const { me, held } = await leased('a.test')
        await other.query('BEGIN')
        await other.query('SELECT 1 FROM agent WHERE incarnation = $1 FOR UPDATE', [me])
        await other.query('UPDATE agent SET open = 0 WHERE incarnation = $1', [me])
        const answer = ledger.commit(pack(me, 'p1', held, {}))
        await untilSomebodyWaits()
        await other.query('COMMIT')
        expect(await answer).toEqual({ status: 'refused', why: 'incarnation-closed' })
      })

      it('sent again while the first is still under way is committed once', async () => {
        const { me, held } = await leased('a.test')
        await other.query('BEGIN')
        await other.query(`SELECT 1 FROM cell WHERE cell = 'a.test' FOR UPDATE`)
        const sent = pack(me, 'p1', held, { pages: 1 })
        const answers = [ledger.commit(sent), ledger.commit(sent)]
        await untilSomebodyWaits()
        await other.query('COMMIT')
        expect(await Promise.all(answers)).toEqual([{ status: 'committed' }, { status: 'committed' }])
        expect((await ledger.totals()).pages).toBe(1)
      })
    })

    describe('an incarnation that began before a standby was promoted', () => {
      /** As the promoted one finds it. */
      const promoted = () => other.query('UPDATE agent SET timeline = timeline - 1')

      it('is over, and its cells stay its own until it has let go of them', async () => {
        const { me } = await leased('a.test')
        await promoted()
        await other.query('UPDATE crawl SET timeline = timeline - 1')
        const [coordinatorSeat, next] = [await ledger.join('coordinator', 0), await ledger.join('a')]
        expect(await ledger.heartbeat(me, LEASE, '{}')).toMatchObject({ incarnationOpen: false, held: [] })
        expect(await ledger.heartbeat(coordinatorSeat, LEASE, '{}')).toMatchObject({ incarnationOpen: true })
        await other.query('UPDATE cell SET lease_until = 1')
        expect(await ledger.waiting(9)).toEqual([])
        expect(await ledger.grant(next, ['a.test'], LEASE, 0)).toEqual([])
        await ledger.leave(me)
        expect(await ledger.grant(next, ['a.test'], LEASE, 0)).toHaveLength(1)
      })

      it('commits nothing more, unless it was committed before', async () => {
        const { me, held } = await leased('a.test')
        const first = pack(me, 'p1', held, { pages: 1 })
        expect(await ledger.commit(first)).toEqual({ status: 'committed' })
        await promoted()
        expect(await ledger.commit(first)).toEqual({ status: 'committed' })
        const second = pack(me, 'p2', { ...held, lastPack: 1 }, { pages: 1 })
        expect(await ledger.commit(second)).toEqual({ status: 'refused', why: 'incarnation-closed' })
        expect((await ledger.totals()).pages).toBe(1)
      })
    })

    describe('the turn of a group', () => {
      it('stays with an incarnation that is given a second cell of it while it gives back the first', async () => {
        const me = await ledger.join('a')
        const mates = ['old.x.test', 'www.x.test'].map(cell => ({ ...append(cell, '/'), group: 'x.test' }))
        await ledger.append(mates)
        const [first] = await ledger.grant(me, ['old.x.test'], LEASE, 0)
        // A grant of the second, before its commit.
        await other.query('BEGIN')
        await other.query(`SELECT 1 FROM turn WHERE grp = 'x.test' FOR UPDATE`)
        await other.query(
          `UPDATE cell SET state = 'leased', agent = $1, epoch = epoch + 1, lease_until = 4102444800000
       WHERE cell = 'www.x.test'`,
          [me],
        )
        const released = ledger.release('old.x.test', first.epoch, 'tail')
        await untilSomebodyWaits()
        await other.query('COMMIT')
        expect(await released).toBe(true)
        expect(await ledger.takeTurn(await ledger.join('b'), 'x.test', LEASE, 0)).toBeNull()
      })
    })

    it('many writers and readers at once: every row is read once, and the counters agree', async () => {
      const cells = ['a.test', 'b.test', 'c.test']
      const me = await ledger.join('a')
      await ledger.append(cells.map(cell => append(cell)))
      await ledger.grant(me, cells, LEASE, 0)
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        for (let i = 0; i < 25; i++) {
          const targets = i % 2 === 0 ? cells : [...cells].reverse()
          await ledger.append(targets.map(cell => append(cell, `/${writer}/${i}`)))
        }
      })
      let isOver = false
      const writing = Promise.all(writers).then(() => {
        isOver = true
      })
      const read = new Map(cells.map(cell => [cell, { cursor: 0, urls: [] as string[] }]))
      for (let last = false; ; ) {
        for (const [cell, state] of read) {
          const rows = await ledger.readInbox(cell, state.cursor, 7)
          state.urls.push(...rows.map(({ url }) => url))
          state.cursor = rows.at(-1)?.position ?? state.cursor
        }
        if (last && [...read.values()].every(({ urls }) => urls.length >= 100)) break
        last = isOver
      }
      await writing
      for (const { urls } of read.values()) {
        expect(urls).toHaveLength(100)
        expect(new Set(urls).size).toBe(100)
      }
      expect((await ledger.totals()).backlog).toBe(300)
    })
  })
}
