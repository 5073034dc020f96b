/** What every ledger must keep, whatever it is built on. Each test is named by the rule it guards. */
import * as vitest from 'vitest'
import { expect } from 'vitest'
import {
  type Append,
  type Ledger,
  type LinkBatch,
  MOST_COUNTED,
  type Pack,
  type PackCell,
} from '../../src/ledger/index.js'
import { type Discovery, type Lease, ownTurn } from '../../src/model/index.js'
import { splitContract } from './split-contract.js'

/** A ledger under test and the hand on its clock. */
export interface LedgerUnderTest {
  readonly ledger: Ledger
  advance(ms: number): void
}

/** Who runs the tests: vitest, or `mutants.test.ts`, which wants some of them to fail. */
export interface Runner {
  describe(name: string, body: () => void): void
  it(name: string, test: () => Promise<void>): void
  beforeEach(task: () => Promise<unknown>): void
  afterEach(task: () => Promise<unknown>): void
}

const LEASE = 10_000

const row = (url: string): Discovery => ({ url, depth: 1, hops: 0, score: 0, via: '' })
const append = (cell: string, ...paths: string[]): Append => ({
  cell,
  group: cell,
  rows: paths.map(path => row(`http://${cell}${path}`)),
})

const share = (lease: Lease, over: Partial<PackCell> = {}): PackCell => ({
  cell: lease.cell,
  epoch: lease.epoch,
  number: lease.lastPack + 1,
  journal: new Uint8Array([1, 2, 3]),
  consumed: 0,
  cursor: lease.cursor,
  discovered: 0,
  settled: 0,
  pages: 0,
  bytes: 0,
  fetchMs: 0,
  firstFetch: 0,
  lastFetch: 0,
  outcomes: [],
  ...over,
})

const pack = (incarnation: number, id: string, cells: PackCell[], over: Partial<Pack> = {}): Pack => ({
  id,
  incarnation,
  cells,
  appends: [],
  files: [],
  fetches: 0,
  lanes: [],
  received: { links: 0, pages: new Uint8Array(0), sites: new Uint8Array(0) },
  waits: [],
  ...over,
})

export function ledgerContract(
  name: string,
  open: () => Promise<LedgerUnderTest>,
  runner: Runner = vitest,
): void {
  const { describe, it, beforeEach, afterEach } = runner
  describe(name, () => {
    let ledger: Ledger
    let advance: (ms: number) => void

    beforeEach(async () => ({ ledger, advance } = await open()))
    afterEach(() => ledger.close())

    async function lease(incarnation: number, cell: string): Promise<Lease> {
      const [granted] = await ledger.grant(incarnation, [cell], LEASE, 0)
      expect(granted, `no lease for ${cell}`).toBeDefined()
      return granted
    }

    splitContract(runner, { ledger: () => ledger, advance: ms => advance(ms), lease, share, pack })

    describe('append', () => {
      it('puts a new site at the tail of the queue and keeps the order of arrival', async () => {
        await ledger.append([append('b.test', '/'), append('a.test', '/')])
        await ledger.append([append('c.test', '/')])
        expect((await ledger.waiting(10)).map(cell => cell.cell)).toEqual(['b.test', 'a.test', 'c.test'])
      })

      it('turns a finished cell to waiting in the same step', async () => {
        const me = await ledger.join('a')
        await ledger.append([append('a.test', '/')])
        const held = await lease(me, 'a.test')
        const [first] = await ledger.readInbox('a.test', held.cursor, 10)
        await ledger.commit(pack(me, 'p1', [share(held, { consumed: 1, cursor: first.position })]))
        expect(await ledger.finish('a.test', held.epoch)).toBe(true)
        expect(await ledger.waiting(10)).toEqual([])
        await ledger.append([append('a.test', '/late')])
        expect((await ledger.waiting(10)).map(cell => cell.cell)).toEqual(['a.test'])
      })

      it('of any number of rows is read in parts of any size, and consumed at any row', async () => {
        const paths = Array.from({ length: 1_300 }, (_, i) => `/${i}`)
        const me = await ledger.join('a')
        await ledger.append([append('a.test', ...paths.slice(0, 1_201))])
        for (const path of paths.slice(1_201)) await ledger.append([append('a.test', path)])
        const held = await lease(me, 'a.test')
        const read: string[] = []
        let { cursor } = held
        for (let part = 1; ; part++) {
          const limit = 1 + ((part * 97) % 300)
          const rows = await ledger.readInbox('a.test', cursor, limit)
          // As many as there are: who gets fewer believes that there are no more.
          expect(rows).toHaveLength(Math.min(limit, paths.length - read.length))
          if (rows.length === 0) break
          read.push(...rows.map(({ url }) => new URL(url).pathname))
          cursor = rows[rows.length - 1].position
          const { status } = await ledger.commit(
            pack(me, `p${part}`, [
              share(held, { number: held.lastPack + part, consumed: rows.length, cursor }),
            ]),
          )
          expect(status).toBe('committed')
          const [next] = await ledger.readInbox('a.test', 0, 1)
          expect(next?.url).toBe(read.length < paths.length ? `http://a.test/${read.length}` : undefined)
        }
        expect(read).toEqual(paths)
        expect(await ledger.finish('a.test', held.epoch)).toBe(true)
      })

      it('is refused once the crawl is closed, and taken again after reopen', async () => {
        expect(await ledger.tryEnd()).toBe('done')
        expect(await ledger.append([append('a.test', '/')])).toBe(false)
        await ledger.reopen()
        expect(await ledger.append([append('a.test', '/')])).toBe(true)
      })
    })

    describe('a batch of links ahead of its pack', () => {
      const batch = (incarnation: number, sources: readonly Lease[], ...appends: Append[]): LinkBatch => ({
        incarnation,
        sources: sources.map(({ cell, epoch }) => ({ cell, epoch })),
        appends,
      })

      it('is durable at once, in the name of its sender, and touches nothing of the source cell', async () => {
        const me = await ledger.join('a')
        await ledger.append([append('a.test', '/')])
        const held = await lease(me, 'a.test')
        const sent = batch(me, [held], append('b.test', '/1', '/2'), append('c.test', '/'))
        expect(await ledger.appendLinks(sent)).toEqual({ status: 'committed' })
        expect(await ledger.readInbox('b.test', 0, 10)).toMatchObject([
          { url: 'http://b.test/1', sender: 'a' },
          { url: 'http://b.test/2', sender: 'a' },
        ])
        expect((await ledger.waiting(10)).map(({ cell }) => cell)).toEqual(['b.test', 'c.test'])
        expect(await ledger.totals()).toMatchObject({ pages: 0, backlog: 4 })
        expect(await ledger.commit(pack(me, 'p1', [share(held)]))).toEqual({ status: 'committed' })
      })

      it('adds its rows again when it is sent again, and each of them has to be read', async () => {
        const me = await ledger.join('a')
        await ledger.append([append('a.test', '/')])
        const held = await lease(me, 'a.test')
        const sent = batch(me, [held], append('b.test', '/'))
        await ledger.appendLinks(sent)
        await ledger.appendLinks(sent)
        const target = await lease(me, 'b.test')
        const rows = await ledger.readInbox('b.test', 0, 10)
        expect(rows.map(({ url }) => url)).toEqual(['http://b.test/', 'http://b.test/'])
        await ledger.commit(pack(me, 'p1', [share(target, { consumed: 1, cursor: rows[0].position })]))
        expect(await ledger.finish('b.test', target.epoch)).toBe(false)
      })

      it('with a stale source leaves no row and names the source', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await ledger.append([append('x.test', '/'), append('y.test', '/')])
        const [x, y] = [await lease(a, 'x.test'), await lease(a, 'y.test')]
        await ledger.release('x.test', x.epoch, 'tail')
        const sent = batch(a, [x, y], append('b.test', '/'))
        expect(await ledger.appendLinks(sent)).toEqual({ status: 'stale', cells: ['x.test'] })
        await lease(b, 'x.test')
        expect(await ledger.appendLinks(sent)).toEqual({ status: 'stale', cells: ['x.test'] })
        expect(await ledger.readInbox('b.test', 0, 10)).toEqual([])
        expect(await ledger.appendLinks(batch(a, [y], append('b.test', '/')))).toEqual({
          status: 'committed',
        })
      })

      it('of an incarnation that has ended is refused (P6), and so it is after the end of the crawl', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await ledger.append([append('a.test', '/')])
        const held = await lease(a, 'a.test')
        await ledger.leave(a)
        expect(await ledger.appendLinks(batch(a, [held], append('b.test', '/')))).toEqual({
          status: 'refused',
          why: 'incarnation-closed',
        })
        const again = await lease(b, 'a.test')
        const [first] = await ledger.readInbox('a.test', 0, 10)
        await ledger.commit(pack(b, 'p1', [share(again, { consumed: 1, cursor: first.position })]))
        expect(await ledger.finish('a.test', again.epoch)).toBe(true)
        expect(await ledger.tryEnd()).toBe('done')
        expect(await ledger.appendLinks(batch(b, [], append('b.test', '/')))).toEqual({
          status: 'refused',
          why: 'crawl-closed',
        })
        expect(await ledger.readInbox('b.test', 0, 10)).toEqual([])
      })
    })

    describe('sites', () => {
      it('are told with what is only known, or without, and counted once however many cells they have', async () => {
        const me = await ledger.join('a')
        const known = ['a.test', 'b.test', 'c.test#1', 'c.test#2']
        await ledger.append(known.map(cell => append(cell, '/')))
        const held = await lease(me, 'b.test')
        const outcomes = [{ code: 'OK' as const, count: 1, detail: '' }]
        await ledger.commit(pack(me, 'p1', [share(held, { pages: 1, outcomes })]))
        expect((await ledger.sites('', 10)).map(({ cell }) => cell)).toEqual(known)
        expect(await ledger.sites('', 10, 'crawled')).toMatchObject([{ cell: 'b.test', pages: 1, outcomes }])
        expect(await ledger.sites('b.test', 10, 'crawled')).toEqual([])
        expect(await ledger.totals()).toMatchObject({ sites: 3 })
      })
    })

    describe('lease', () => {
      it('is granted to one agent only, with a rising epoch', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await ledger.append([append('a.test', '/')])
        const first = await lease(a, 'a.test')
        expect(await ledger.grant(b, ['a.test'], LEASE, 0)).toEqual([])
        expect(await ledger.grant(a, ['a.test'], LEASE, 0)).toEqual([])
        await ledger.release('a.test', first.epoch, 'tail')
        expect((await lease(b, 'a.test')).epoch).toBeGreaterThan(first.epoch)
      })

      it('goes to the HEAD of the queue when its agent leaves or falls silent (D16)', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await ledger.append([append('x.test', '/'), append('y.test', '/'), append('z.test', '/')])
        await ledger.grant(a, ['y.test'], LEASE, 0)
        await ledger.leave(a)
        expect((await ledger.waiting(10)).map(cell => cell.cell)).toEqual(['y.test', 'x.test', 'z.test'])
        await ledger.grant(b, ['z.test'], LEASE, 0)
        advance(LEASE + 1)
        expect((await ledger.waiting(10))[0].cell).toBe('z.test')
      })

      it('is kept by a heartbeat, and lost cells are not in its answer', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await ledger.append([append('a.test', '/')])
        await lease(a, 'a.test')
        advance(LEASE - 1)
        expect((await ledger.heartbeat(a, LEASE, '{}')).held.map(cell => cell.cell)).toEqual(['a.test'])
        advance(LEASE - 1)
        await ledger.heartbeat(b, LEASE, '{}')
        expect(await ledger.waiting(10)).toEqual([])
      })

      it('is known to a heartbeat that tells a grant as high as its own: not named there, it is lost', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await ledger.append([append('a.test', '/'), append('b.test', '/')])
        expect((await ledger.heartbeat(a, LEASE, '{}')).grants).toBe(0)
        const [first] = await ledger.grant(a, ['a.test'], LEASE, 0)
        expect((await ledger.heartbeat(a, LEASE, '{}')).grants).toBe(first.grant)
        const [second] = await ledger.grant(b, ['b.test'], LEASE, 0)
        expect(await ledger.heartbeat(a, LEASE, '{}')).toMatchObject({
          grants: second.grant,
          held: [{ cell: 'a.test' }],
        })
      })

      it('is not taken from others right after a gap in which nobody reached the ledger', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await ledger.append([append('a.test', '/')])
        await ledger.heartbeat(a, LEASE, '{}')
        await lease(a, 'a.test')
        advance(LEASE * 3)
        await ledger.heartbeat(b, LEASE, '{}')
        expect(await ledger.waiting(10)).toEqual([])
        expect((await ledger.heartbeat(a, LEASE, '{}')).held).toHaveLength(1)
        for (const ms of [LEASE, 1]) {
          advance(ms)
          await ledger.heartbeat(b, LEASE, '{}')
        }
        expect(await ledger.waiting(10)).toHaveLength(1)
      })

      it('tells the waits of groups, whoever holds their turns', async () => {
        const a = await ledger.join('a')
        await ledger.takeTurn(a, 'a.test', LEASE, 0)
        await ledger.saveWait('a.test', 5_000, 70)
        await ledger.saveWait('a.test', 4_000, 60)
        await ledger.saveWait(ownTurn('b.test'), 9_000, 0)
        expect(await ledger.waits(['=b.test', 'nobody.test', 'a.test'])).toEqual([
          { nextAllowed: 9_000, delayMs: 0 },
          { nextAllowed: 0, delayMs: 0 },
          { nextAllowed: 5_000, delayMs: 60 },
        ])
      })

      it('leases a shard of all sites to one incarnation at a time: cells filed under it share its turn', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        const cells = ['a.test#0', 'b.test#0', 'a.test#1']
        await ledger.append(
          cells.map(cell => ({ ...append(cell, '/'), group: cell.slice(cell.indexOf('#')) })),
        )
        expect(await ledger.grant(a, ['a.test#0'], LEASE, 0)).toHaveLength(1)
        const given = await ledger.grant(b, cells, LEASE, 0)
        expect(given.map(({ cell }) => cell)).toEqual(['a.test#1'])
        const mine = await ledger.waiting(10, [a])
        expect(mine).toMatchObject([{ cell: 'b.test#0', turnOf: a }])
        expect(await ledger.waiting(10, [b])).toEqual([])
      })

      it('carries the waits of the site and of its group across hand-over', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await ledger.append([{ ...append('www.a.test', '/'), group: 'a.test' }])
        const first = await lease(a, 'www.a.test')
        expect(first).toMatchObject({ appended: 1, notBefore: 0, waitUntil: 0, turnFrom: 0, delayMs: 0 })
        await ledger.saveWait('a.test', first.until + 99_000, 0)
        await ledger.saveWait('a.test', first.until, 0)
        await ledger.saveWait(ownTurn('www.a.test'), first.until + 500_000, 7_000)
        await ledger.release('www.a.test', first.epoch, 'tail')
        expect(await lease(b, 'www.a.test')).toMatchObject({
          turnFrom: first.until + 99_000,
          waitUntil: first.until + 500_000,
          delayMs: 7_000,
        })
      })

      it('waits for the end of the old lease and the delay, the longer one of the setting and the site', async () => {
        const a = await ledger.join('a')
        await ledger.append([append('a.test', '/')])
        const first = await lease(a, 'a.test')
        await ledger.endAllLeases()
        const ended = first.until - LEASE
        expect(await ledger.grant(a, ['a.test'], LEASE, 300)).toEqual([])
        const c = await ledger.join('c')
        const [second] = await ledger.grant(c, ['a.test'], LEASE, 300)
        expect(second).toMatchObject({ notBefore: ended + 300, turnFrom: ended + 300 })
        await ledger.saveWait(ownTurn('a.test'), 0, 60_000)
        await ledger.saveWait('a.test', 0, 2_000)
        advance(LEASE + 1)
        const [third] = await ledger.grant(
          await ledger.join('d'),
          [(await ledger.waiting(1))[0].cell],
          LEASE,
          300,
        )
        expect(third).toMatchObject({ notBefore: second.until + 60_000, turnFrom: second.until + 2_000 })
      })

      it('that has ended and that nobody took is renewed with its epoch', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await ledger.append([append('a.test', '/')])
        await ledger.heartbeat(b, LEASE, '{}')
        const held = await lease(a, 'a.test')
        advance(LEASE)
        await ledger.heartbeat(b, LEASE, '{}')
        advance(1)
        expect((await ledger.heartbeat(a, LEASE, '{}')).held).toMatchObject([{ epoch: held.epoch }])
        expect(await ledger.commit(pack(a, 'p1', [share(held)]))).toEqual({ status: 'committed' })
      })

      it('that has ended is not renewed once somebody has had the turn of its group', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await ledger.append([append('a.test', '/'), append('b.test', '/')])
        await ledger.heartbeat(b, LEASE, '{}')
        await lease(a, 'a.test')
        const other = await lease(a, 'b.test')
        advance(LEASE)
        await ledger.heartbeat(b, LEASE, '{}')
        advance(1)
        expect(await ledger.takeTurn(b, 'a.test', LEASE, 0)).not.toBeNull()
        const renewed = [{ cell: 'b.test', epoch: other.epoch }]
        expect((await ledger.heartbeat(a, LEASE, '{}')).held).toMatchObject(renewed)
        await ledger.releaseTurn(b, 'a.test', 0)
        expect((await ledger.heartbeat(a, LEASE, '{}')).held).toMatchObject(renewed)
        expect((await ledger.waiting(10)).map(({ cell }) => cell)).toEqual(['a.test'])
      })

      it('gives a closed incarnation nothing', async () => {
        const a = await ledger.join('a')
        await ledger.append([append('a.test', '/')])
        await ledger.leave(a)
        expect(await ledger.grant(a, ['a.test'], LEASE, 0)).toEqual([])
      })
    })

    describe('pack', () => {
      it('acknowledges pages, links, files and counters in one step', async () => {
        const me = await ledger.join('a')
        await ledger.append([append('a.test', '/')])
        const held = await lease(me, 'a.test')
        const [first] = await ledger.readInbox('a.test', held.cursor, 10)
        const answer = await ledger.commit(
          pack(
            me,
            'p1',
            [
              share(held, {
                consumed: 1,
                cursor: first.position,
                discovered: 3,
                settled: 1,
                pages: 1,
                bytes: 10,
                outcomes: [{ code: 'OK', count: 1, detail: '' }],
              }),
            ],
            { appends: [append('b.test', '/1', '/2')], files: [{ name: 'w', kind: 'warc', bytes: 77 }] },
          ),
        )
        expect(answer).toEqual({ status: 'committed' })
        expect(await ledger.totals()).toMatchObject({
          pages: 1,
          bytes: 10,
          discovered: 3,
          settled: 1,
          backlog: 2,
        })
        expect(await ledger.files()).toMatchObject([{ name: 'w', bytes: 77, closed: false }])
        expect((await ledger.readInbox('b.test', 0, 10)).map(entry => entry.url)).toEqual([
          'http://b.test/1',
          'http://b.test/2',
        ])
        expect(await ledger.readInbox('a.test', 0, 10)).toEqual([])
        expect(await ledger.readJournal('a.test', 0, 1e6)).toMatchObject([{ number: 1 }])
      })

      it('takes counts back: what was stored is lost, and the budget may be spent on it again', async () => {
        const me = await ledger.join('a')
        await ledger.append([append('a.test', '/')])
        const first = await lease(me, 'a.test')
        const stored = { settled: 3, pages: 2, outcomes: [{ code: 'OK' as const, count: 2, detail: '' }] }
        await ledger.commit(pack(me, 'p1', [share(first, { ...stored, discovered: 3, bytes: 9 })]))
        await ledger.release('a.test', first.epoch, 'tail')
        const repair = await ledger.join('repair', 0)
        const held = await lease(repair, 'a.test')
        const lost = { settled: -1, pages: -1, outcomes: [{ code: 'OK' as const, count: -1, detail: '' }] }
        const answer = await ledger.commit(pack(repair, 'p2', [share(held, lost)]))
        expect(answer).toEqual({ status: 'committed' })
        const totals = await ledger.totals()
        expect(totals).toMatchObject({ pages: 1, bytes: 9, discovered: 3, settled: 2 })
        expect(totals.outcomes).toMatchObject([{ code: 'OK', count: 1 }])
        expect(await ledger.readJournal('a.test', 0, 1e6)).toMatchObject([{ number: 1 }, { number: 2 }])
      })

      it('sent twice under one id is committed once', async () => {
        const me = await ledger.join('a')
        await ledger.append([append('a.test', '/')])
        const held = await lease(me, 'a.test')
        const sent = pack(me, 'p1', [share(held, { pages: 1 })], { appends: [append('b.test', '/')] })
        expect(await ledger.commit(sent)).toEqual({ status: 'committed' })
        expect(await ledger.commit(sent)).toEqual({ status: 'committed' })
        expect(await ledger.totals()).toMatchObject({ pages: 1, backlog: 2 })
      })

      it('with a stale cell commits nothing and names the cell', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await ledger.append([append('x.test', '/'), append('y.test', '/')])
        const [x, y] = [await lease(a, 'x.test'), await lease(a, 'y.test')]
        await ledger.release('x.test', x.epoch, 'tail')
        await lease(b, 'x.test')
        const sent = pack(a, 'p1', [share(x, { pages: 1 }), share(y, { pages: 1 })], {
          files: [{ name: 'w', kind: 'warc', bytes: 1 }],
        })
        expect(await ledger.commit(sent)).toEqual({ status: 'stale', cells: ['x.test'] })
        expect(await ledger.totals()).toMatchObject({ pages: 0 })
        expect(await ledger.files()).toEqual([])
        expect(await ledger.commit(pack(a, 'p2', [share(y, { pages: 1 })]))).toEqual({ status: 'committed' })
      })

      it('that is refused leaves no link, no wait and no outcome behind', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await ledger.append([append('x.test', '/')])
        const held = await lease(a, 'x.test')
        await ledger.release('x.test', held.epoch, 'tail')
        await lease(b, 'x.test')
        const cell = share(held, { consumed: 1, outcomes: [{ code: 'OK', count: 1, detail: '' }] })
        const waits = [{ group: 'x.test', nextAllowed: held.until + 1e9 }]
        await ledger.commit(pack(a, 'p1', [cell], { appends: [append('y.test', '/')], waits }))
        expect(await ledger.totals()).toMatchObject({ backlog: 1, outcomes: [] })
        expect(await ledger.readInbox('y.test', 0, 10)).toEqual([])
        expect(await ledger.readJournal('x.test', 0, 1e6)).toEqual([])
        expect((await ledger.takeTurn(b, 'x.test', LEASE, 0))!.nextAllowed).toBeLessThan(held.until + 1e9)
      })

      it('of a cell that was given back is stale, also while nobody else has it', async () => {
        const a = await ledger.join('a')
        await ledger.append([append('a.test', '/')])
        const held = await lease(a, 'a.test')
        await ledger.release('a.test', held.epoch, 'tail')
        expect(await ledger.commit(pack(a, 'p1', [share(held)]))).toEqual({
          status: 'stale',
          cells: ['a.test'],
        })
      })

      it('never shortens a wait', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await ledger.append([append('a.test', '/')])
        const held = await lease(a, 'a.test')
        await ledger.saveWait('a.test', held.until + 5_000, 0)
        const waits = [{ group: 'a.test', nextAllowed: held.until }]
        await ledger.commit(pack(a, 'p1', [share(held)], { waits }))
        await ledger.leave(a)
        expect((await lease(b, 'a.test')).turnFrom).toBe(held.until + 5_000)
      })

      it('out of sequence is stale', async () => {
        const me = await ledger.join('a')
        await ledger.append([append('a.test', '/')])
        const held = await lease(me, 'a.test')
        expect(await ledger.commit(pack(me, 'p2', [share(held, { number: 2 })]))).toMatchObject({
          status: 'stale',
        })
      })

      it('of a closed incarnation is refused (P6)', async () => {
        const me = await ledger.join('a')
        await ledger.append([append('a.test', '/')])
        const held = await lease(me, 'a.test')
        await ledger.endAllLeases()
        expect(await ledger.commit(pack(me, 'p1', [share(held)]))).toEqual({
          status: 'refused',
          why: 'incarnation-closed',
        })
      })
    })

    describe('finish and end', () => {
      it('a cell with an unread row does not finish', async () => {
        const me = await ledger.join('a')
        await ledger.append([append('a.test', '/')])
        const held = await lease(me, 'a.test')
        expect(await ledger.finish('a.test', held.epoch)).toBe(false)
        const [first] = await ledger.readInbox('a.test', 0, 10)
        await ledger.append([append('a.test', '/late')])
        await ledger.commit(pack(me, 'p1', [share(held, { consumed: 1, cursor: first.position })]))
        expect(await ledger.finish('a.test', held.epoch)).toBe(false)
      })

      it('an old epoch finishes nothing', async () => {
        const me = await ledger.join('a')
        await ledger.append([append('a.test', '/')])
        const held = await lease(me, 'a.test')
        const [first] = await ledger.readInbox('a.test', 0, 10)
        await ledger.commit(pack(me, 'p1', [share(held, { consumed: 1, cursor: first.position })]))
        expect(await ledger.finish('a.test', held.epoch - 1)).toBe(false)
        expect(await ledger.finish('a.test', held.epoch)).toBe(true)
      })

      it('the crawl does not end while a cell waits or is leased; parked cells are told', async () => {
        const me = await ledger.join('a')
        await ledger.append([append('a.test', '/')])
        expect(await ledger.tryEnd()).toBe(null)
        const held = await lease(me, 'a.test')
        expect(await ledger.tryEnd()).toBe(null)
        await ledger.park('a.test', held.epoch, held.until + 1e9, 'status 503')
        expect(await ledger.tryEnd()).toBe('parked')
        await ledger.reopen()
        expect(await ledger.waiting(10)).toHaveLength(1)
      })

      it('the end is latched: nothing is leased or committed after it, and it stays what it was', async () => {
        const me = await ledger.join('a')
        await ledger.append([append('a.test', '/')])
        const held = await lease(me, 'a.test')
        const [first] = await ledger.readInbox('a.test', 0, 10)
        await ledger.commit(pack(me, 'p1', [share(held, { consumed: 1, cursor: first.position })]))
        await ledger.finish('a.test', held.epoch)
        expect(await ledger.tryEnd()).toBe('done')
        expect(await ledger.tryEnd()).toBe('done')
        expect(await ledger.grant(me, ['a.test'], LEASE, 0)).toEqual([])
        expect(await ledger.commit(pack(me, 'p2', []))).toEqual({ status: 'refused', why: 'crawl-closed' })
        expect((await ledger.heartbeat(me, LEASE, '{}')).crawlOpen).toBe(false)
      })

      it('the page limit ends it with cells still waiting', async () => {
        await ledger.set({ maxPages: '1' })
        const me = await ledger.join('a')
        await ledger.append([append('a.test', '/', '/2')])
        expect((await ledger.takeBudget(me, 0, 100)).granted).toBe(1)
        expect((await ledger.takeBudget(me, 1, 100)).granted).toBe(0)
        const held = await lease(me, 'a.test')
        await ledger.commit(pack(me, 'p1', [share(held, { pages: 1 })]))
        await ledger.release('a.test', held.epoch, 'head')
        expect(await ledger.tryEnd()).toBe('limit')
        expect(await ledger.grant(me, ['a.test'], LEASE, 0)).toEqual([])
      })

      it('a committed page leaves the budget of its incarnation', async () => {
        await ledger.set({ maxPages: '2' })
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await ledger.append([append('a.test', '/')])
        expect((await ledger.takeBudget(a, 0, 1)).granted).toBe(1)
        const held = await lease(a, 'a.test')
        await ledger.commit(pack(a, 'p1', [share(held, { pages: 1 })]))
        expect((await ledger.takeBudget(b, 0, 2)).granted).toBe(1)
      })

      it('an incarnation that ends returns its page budget', async () => {
        await ledger.set({ maxPages: '5' })
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        expect((await ledger.takeBudget(a, 5, 0)).granted).toBe(0)
        expect((await ledger.takeBudget(b, 0, 5)).granted).toBe(0)
        await ledger.leave(a)
        expect((await ledger.takeBudget(b, 0, 5)).granted).toBe(5)
      })

      it('incarnations share what is left of the page limit, and what one does not need is free again', async () => {
        await ledger.set({ maxPages: '100' })
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await ledger.join('coordinator', 0)
        const first = (await ledger.takeBudget(a, 0, 500)).granted
        expect(first).toBeGreaterThan(0)
        expect(first).toBeLessThanOrEqual(50)
        let held = 0
        for (let granted = 1; granted > 0; held += granted)
          granted = (await ledger.takeBudget(b, held, 500)).granted
        expect(held).toBe(100 - first)
        expect((await ledger.takeBudget(a, first, 500)).granted).toBe(0)
        await ledger.takeBudget(b, 10, 0)
        expect((await ledger.takeBudget(a, first, 500)).granted).toBeGreaterThan(0)
      })
    })

    describe('coordinator', () => {
      it('has one seat: its holder renews it, another takes it when the holder leaves or falls silent', async () => {
        const [a, b] = [await ledger.join('a', 0), await ledger.join('b')]
        const first = await ledger.takeSeat(a, LEASE)
        expect(first).not.toBeNull()
        expect(await ledger.takeSeat(b, LEASE)).toBeNull()
        advance(LEASE - 1)
        expect(await ledger.takeSeat(a, LEASE)).toBe(first)
        advance(LEASE + 1)
        const second = await ledger.takeSeat(b, LEASE)
        expect(second).toBeGreaterThan(first!)
        expect(await ledger.takeSeat(a, LEASE)).toBeNull()
        await ledger.leave(b)
        expect(await ledger.takeSeat(b, LEASE)).toBeNull()
        expect(await ledger.takeSeat(a, LEASE)).toBeGreaterThan(second!)
      })

      it('swaps files only while it has the seat; a swap whose answer was lost is true again', async () => {
        const [a, b] = [await ledger.join('a', 0), await ledger.join('b', 0)]
        const old = (await ledger.takeSeat(a, LEASE))!
        const swap = (from: string, to: string, seat: number) =>
          ledger.swapFiles([from], [{ name: to, kind: 'pages', bytes: 1 }], seat)
        await ledger.swapFiles([], [{ name: 'one', kind: 'pages', bytes: 1 }])
        expect(await swap('one', 'two', old)).toBe(true)
        expect(await swap('one', 'two', old)).toBe(true)
        expect(await swap('one', 'three', old)).toBe(false)
        advance(LEASE + 1)
        const seat = (await ledger.takeSeat(b, LEASE))!
        expect(await swap('two', 'four', old)).toBe(false)
        expect(await swap('two', 'four', seat)).toBe(true)
        expect(await ledger.files()).toMatchObject([{ name: 'four', incarnation: b }])
      })

      it('closes the incarnations that fell silent, not those that only the ledger could not hear', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await ledger.append([append('x.test', '/'), append('y.test', '/')])
        await lease(a, 'y.test')
        for (const _ of [1, 2, 3]) {
          await ledger.heartbeat(b, LEASE, '{}')
          advance(LEASE - 1)
        }
        expect(await ledger.closeSilent(2 * LEASE)).toEqual([a])
        expect((await ledger.waiting(9)).map(({ cell }) => cell)).toEqual(['y.test', 'x.test'])
        expect(await ledger.heartbeat(a, LEASE, '{}')).toMatchObject({ incarnationOpen: false, share: 0 })
        advance(9 * LEASE)
        await ledger.heartbeat(a, LEASE, '{}')
        expect(await ledger.closeSilent(2 * LEASE)).toEqual([])
      })

      it('closes nobody and takes nothing when nobody was heard at all: the machine stood still', async () => {
        const [a, b, c] = [await ledger.join('a'), await ledger.join('b', 0), await ledger.join('c', 0)]
        await ledger.append([append('x.test', '/')])
        const seat = await ledger.takeSeat(b, LEASE)
        for (const incarnation of [a, b, c]) await ledger.heartbeat(incarnation, LEASE, '{}')
        const held = await lease(a, 'x.test')
        await ledger.takeTurn(a, '192.0.2.1', LEASE, 0)
        advance(9 * LEASE)
        expect(await ledger.closeSilent(2 * LEASE)).toEqual([])
        expect(await ledger.takeSeat(c, LEASE)).toBeNull()
        expect(await ledger.takeSeat(b, LEASE)).toBe(seat)
        expect(await ledger.waiting(9)).toEqual([])
        expect(await ledger.tryEnd()).toBeNull()
        expect(await ledger.takeTurn(b, '192.0.2.1', LEASE, 0)).toBeNull()
        expect((await ledger.heartbeat(a, LEASE, '{}')).held).toMatchObject([{ epoch: held.epoch }])
      })

      it('grants for others: an incarnation finds its leases by their number, and says which it has seen', async () => {
        const [a, b] = [await ledger.join('a', 7), await ledger.join('b')]
        await ledger.append([append('x.test', '/'), append('y.test', '/'), append('z.test', '/')])
        const granted = await ledger.grant(a, ['y.test', 'x.test'], LEASE, 0, 3)
        await ledger.grant(b, ['z.test'], LEASE, 0)
        expect(await ledger.leases(a, 0)).toEqual(granted)
        expect(granted.map(({ lane }) => lane)).toEqual([3, 3])
        expect(await ledger.leases(a, granted[0].grant)).toEqual([granted[1]])
        expect(await ledger.agents()).toMatchObject([{ lanes: 7, unseen: 2 }, { unseen: 1 }])
        await ledger.heartbeat(a, LEASE, JSON.stringify({ seen: granted[0].grant }))
        expect(await ledger.agents()).toMatchObject([{ unseen: 1 }, { unseen: 1 }])
      })

      it('orders S by size once; what is found later goes to the tail, what was lost to the head', async () => {
        const a = await ledger.join('a')
        await ledger.append([append('s.test', '/'), append('m.test', '/'), append('l.test', '/')])
        await ledger.estimate([
          { cell: 'l.test', size: 900 },
          { cell: 'm.test', size: 30 },
        ])
        await ledger.rankBySize()
        await ledger.append([append('new.test', '/')])
        const inS = async () => (await ledger.waiting(9)).map(({ cell }) => cell)
        expect(await inS()).toEqual(['l.test', 'm.test', 's.test', 'new.test'])
        await lease(a, 's.test')
        await ledger.leave(a)
        expect(await inS()).toEqual(['s.test', 'l.test', 'm.test', 'new.test'])
      })

      it('sees whose turn a waiting cell needs, that of its group or of one of its addresses', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await ledger.append([
          { ...append('www.x.test', '/'), group: 'x.test' },
          { ...append('old.x.test', '/'), group: 'x.test' },
          append('y.test', '/'),
        ])
        await lease(a, 'www.x.test')
        await ledger.joinAddresses('y.test', ['192.0.2.1'], 100)
        await ledger.takeTurn(b, '192.0.2.1', LEASE, 0)
        expect(await ledger.waiting(9)).toMatchObject([
          { cell: 'old.x.test', turnOf: a, turn: 'x.test' },
          { cell: 'y.test', turnOf: b, turn: '192.0.2.1' },
        ])
      })

      it('finds the lanes that cells were bound to, and what each has been given, whoever bound them', async () => {
        await ledger.append([append('x.test', '/'), append('y.test', '/'), append('z.test', '/')])
        await ledger.estimate([{ cell: 'x.test', size: 40 }])
        await ledger.bind([
          { cell: 'x.test', agent: 'a', lane: 2 },
          { cell: 'y.test', agent: 'a', lane: 2 },
          { cell: 'unknown.test', agent: 'a', lane: 1 },
        ])
        expect((await ledger.waiting(9)).map(({ boundTo }) => boundTo)).toEqual([
          { agent: 'a', lane: 2 },
          { agent: 'a', lane: 2 },
          null,
        ])
        expect(await ledger.laneLoads()).toEqual([{ agent: 'a', lane: 2, cells: 2, size: 41 }])
        await ledger.bind([{ cell: 'y.test', agent: 'b', lane: 1 }])
        await lease(await ledger.join('a'), 'x.test')
        expect(await ledger.laneLoads()).toEqual([
          { agent: 'a', lane: 2, cells: 1, size: 40 },
          { agent: 'b', lane: 1, cells: 1, size: 1 },
        ])
      })

      it('counts the cells that wait up to a limit, without those that are leased', async () => {
        await ledger.append([append('x.test', '/'), append('y.test', '/'), append('z.test', '/')])
        expect([await ledger.countWaiting(2), await ledger.countWaiting(9)]).toEqual([2, 3])
        await lease(await ledger.join('a'), 'x.test')
        expect(await ledger.countWaiting(9)).toBe(2)
      })

      it('a heartbeat counts the cells that wait, and of many only that there are many', async () => {
        const me = await ledger.join('a')
        const waiting = async () => (await ledger.heartbeat(me, LEASE, '{}')).waiting
        expect(await waiting()).toBe(0)
        const cells = Array.from({ length: MOST_COUNTED + 7 }, (_, i) => append(`s${i}.test`, '/'))
        await ledger.append(cells.slice(0, 5))
        expect(await waiting()).toBe(5)
        await ledger.append(cells.slice(5))
        expect(await waiting()).toBe(MOST_COUNTED)
      })

      it('incarnations that crawl share the limits of the crawl', async () => {
        const [a, b, c] = [await ledger.join('a'), await ledger.join('b'), await ledger.join('c', 0)]
        const share = async (incarnation: number) => (await ledger.heartbeat(incarnation, LEASE, '{}')).share
        expect([await share(a), await share(b), await share(c)]).toEqual([0.5, 0.5, 0])
        await ledger.leave(a)
        expect(await share(b)).toBe(1)
      })
    })

    describe('turns', () => {
      const mates = () =>
        ledger.append(['www.x.test', 'old.x.test'].map(cell => ({ ...append(cell, '/'), group: 'x.test' })))
      const cells = async (incarnation?: number) =>
        (await ledger.waiting(10, incarnation === undefined ? undefined : [incarnation])).map(
          ({ cell }) => cell,
        )

      it('are held by one incarnation at a time and pass with their wait', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        const first = await ledger.takeTurn(a, 'example.org', LEASE, 0)
        expect(first).not.toBeNull()
        expect(await ledger.takeTurn(b, 'example.org', LEASE, 0)).toBeNull()
        await ledger.releaseTurn(a, 'example.org', 5_000_000_000_000)
        const second = await ledger.takeTurn(b, 'example.org', LEASE, 0)
        expect(second!.epoch).toBeGreaterThan(first!.epoch)
        expect(second!.nextAllowed).toBe(5_000_000_000_000)
      })

      it('are not taken by an incarnation that has ended: nobody would release them', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await mates()
        await ledger.leave(a)
        expect(await ledger.takeTurn(a, 'x.test', LEASE, 0)).toBeNull()
        expect(await cells(b)).toEqual(['www.x.test', 'old.x.test'])
        expect(await ledger.grant(b, ['www.x.test'], LEASE, 0)).toHaveLength(1)
      })

      it('come with the first lease of a group: no other incarnation is given, or shown, its other cells', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await mates()
        await lease(a, 'www.x.test')
        expect(await ledger.grant(b, ['old.x.test'], LEASE, 0)).toEqual([])
        expect(await cells(b)).toEqual([])
        expect(await cells(a)).toEqual(['old.x.test'])
        await lease(a, 'old.x.test')
      })

      it('were held until the latest lease of a silent incarnation ended, in whatever order its cells come back', async () => {
        for (const [i, order] of [
          ['www.x.test', 'old.x.test'],
          ['old.x.test', 'www.x.test'],
        ].entries()) {
          const [a, b] = [await ledger.join(`a${i}`), await ledger.join(`b${i}`)]
          await mates()
          const [[long], [short]] = [
            await ledger.grant(a, [order[0]], LEASE, 0),
            await ledger.grant(a, [order[1]], LEASE / 2, 0),
          ]
          expect(short.until).toBeLessThan(long.until)
          advance(3 * LEASE)
          // Twice: the first after such a silence is a sign of incarnation of the ledger itself.
          await ledger.heartbeat(b, LEASE, '{}')
          advance(2 * LEASE)
          await ledger.heartbeat(b, 9 * LEASE, '{}')
          expect((await cells(b)).sort()).toEqual([...order].sort())
          const [taken] = await ledger.grant(b, [order[0]], LEASE, 250)
          expect(taken.turnFrom).toBe(long.until + 250)
          await ledger.leave(a)
          await ledger.leave(b)
        }
      })

      it('last as long as the latest lease under them: nobody has the turn of a group while another incarnation has a cell of it', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await mates()
        await ledger.heartbeat(a, LEASE, '{}')
        await lease(a, 'www.x.test')
        advance(LEASE / 2)
        await ledger.heartbeat(b, LEASE, '{}')
        await lease(a, 'old.x.test')
        advance(LEASE / 2 + 1)
        await ledger.heartbeat(b, LEASE, '{}')
        expect(await ledger.takeTurn(b, 'x.test', LEASE, 0)).toBeNull()
        advance(LEASE / 2)
        await ledger.heartbeat(b, LEASE, '{}')
        expect(await ledger.takeTurn(b, 'x.test', LEASE, 0)).not.toBeNull()
        expect((await ledger.heartbeat(a, LEASE, '{}')).held).toEqual([])
      })

      it('go with the last lease of a group, however that ends', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await mates()
        const [www, old] = [await lease(a, 'www.x.test'), await lease(a, 'old.x.test')]
        await ledger.release('www.x.test', www.epoch, 'tail')
        expect(await cells(b)).toEqual([])
        await ledger.park('old.x.test', old.epoch, 0, '')
        const [taken] = await ledger.grant(b, await cells(b), LEASE, 250)
        expect(taken).toMatchObject({ cell: 'www.x.test', turnFrom: www.until - LEASE + 250 })
      })

      it('of an incarnation that fell silent pass on, after its lease and the delay', async () => {
        const [a, b] = [await ledger.join('a'), await ledger.join('b')]
        await ledger.heartbeat(a, LEASE, '{}')
        await ledger.takeTurn(a, '192.0.2.1', LEASE, 0)
        advance(LEASE / 2)
        const { now } = await ledger.heartbeat(a, LEASE, '{}')
        advance(LEASE / 2)
        await ledger.heartbeat(b, LEASE, '{}')
        advance(LEASE / 2)
        expect(await ledger.takeTurn(b, '192.0.2.1', LEASE, 400)).toBeNull()
        advance(1)
        await ledger.heartbeat(b, LEASE, '{}')
        expect(await ledger.takeTurn(b, '192.0.2.1', LEASE, 400)).toMatchObject({
          nextAllowed: now + LEASE + 400,
        })
      })

      it('rest in S: a cell is not seen before its time, and the crawl does not end without it', async () => {
        const a = await ledger.join('a')
        await ledger.append([append('x.test', '/'), append('y.test', '/')])
        const held = await lease(a, 'x.test')
        expect(await ledger.rest('x.test', held.epoch, held.until + 5_000)).toBe(true)
        expect(await ledger.rest('x.test', held.epoch, 0)).toBe(false)
        const other = await lease(a, 'y.test')
        await ledger.park('y.test', other.epoch, 0, '')
        expect(await cells()).toEqual([])
        expect(await ledger.tryEnd()).toBeNull()
        expect((await ledger.totals()).cells).toMatchObject({ resting: 1, parked: 1 })
        advance(LEASE + 5_000)
        expect((await ledger.heartbeat(a, LEASE, '{}')).waiting).toBe(1)
        expect(await cells()).toEqual(['x.test'])
      })

      it('far off: cells that wait are put off without a lease, those that are leased are not', async () => {
        const a = await ledger.join('a')
        await ledger.append([append('x.test', '/'), append('y.test', '/'), append('z.test', '/')])
        const held = await lease(a, 'x.test')
        const until = held.until + 1_000
        await ledger.defer(['x.test', 'y.test'].map(cell => ({ cell, until })))
        expect(await cells()).toEqual(['z.test'])
        await ledger.heartbeat(a, 2 * LEASE, '{}')
        advance(LEASE + 1_000)
        expect(await cells()).toEqual(['z.test', 'y.test'])
        expect((await ledger.totals()).cells).toMatchObject({ leased: 1, resting: 0 })
      })

      it('a parked cell waits again once its time has come, while the crawl still runs', async () => {
        const a = await ledger.join('a')
        await ledger.append([append('x.test', '/'), append('y.test', '/')])
        const held = await lease(a, 'x.test')
        await ledger.park('x.test', held.epoch, held.until + 5_000, 'robots.txt answered 503')
        expect(await cells()).toEqual(['y.test'])
        advance(LEASE + 4_999)
        expect(await cells()).toEqual(['y.test'])
        advance(1)
        expect((await ledger.heartbeat(a, LEASE, '{}')).waiting).toBe(2)
        expect(await cells()).toEqual(['y.test', 'x.test'])
      })

      it('of an address are none once it serves too many sites', async () => {
        expect(await ledger.joinAddresses('a.test', ['192.0.2.1', '192.0.2.2'], 2)).toHaveLength(2)
        expect(await ledger.joinAddresses('b.test', ['192.0.2.1'], 2)).toEqual(['192.0.2.1'])
        expect(await ledger.joinAddresses('b.test', ['192.0.2.1'], 2)).toEqual(['192.0.2.1'])
        expect(await ledger.joinAddresses('c.test', ['192.0.2.1', '192.0.2.2'], 2)).toEqual(['192.0.2.2'])
        expect(await ledger.joinAddresses('a.test', ['192.0.2.1'], 2)).toEqual([])
      })
    })

    it('tells of the incarnations that are open, and why a site was set aside', async () => {
      const [a, b] = [await ledger.join('a'), await ledger.join('b')]
      await ledger.heartbeat(b, LEASE, '{"waiting":"x"}')
      await ledger.append([append('a.test', '/')])
      const held = await lease(a, 'a.test')
      await ledger.park('a.test', held.epoch, held.until, 'status 503')
      await ledger.leave(a)
      expect(await ledger.agents()).toMatchObject([{ name: 'b', incarnation: b, status: '{"waiting":"x"}' }])
      expect(await ledger.parked(10)).toEqual([
        { cell: 'a.test', until: held.until, why: 'status 503', queued: 1 },
      ])
      await ledger.reopen()
      expect(await ledger.parked(10)).toEqual([])
    })

    it('adds up what an agent did in all its incarnations, and keeps what a killed one last told', async () => {
      const told = ['{"fetches":7}', '{"fetches":5}', '{}']
      for (const [incarnation, status] of told.entries()) {
        const me = await ledger.join(incarnation === 2 ? 'b' : 'a')
        await ledger.append([append(`${incarnation}.test`, '/')])
        const held = await lease(me, `${incarnation}.test`)
        const cells = [share(held, { pages: 2, bytes: 10, fetchMs: 30 })]
        expect(await ledger.commit(pack(me, `p${incarnation}`, cells, { fetches: 4 + incarnation }))).toEqual(
          {
            status: 'committed',
          },
        )
        await ledger.heartbeat(me, LEASE, status)
      }
      const work = (fetches: number) => [
        { name: 'a', incarnations: 2, pages: 4, bytes: 20, fetchMs: 60, fetches },
        { name: 'b', incarnations: 1, pages: 2, bytes: 10, fetchMs: 30, fetches: 6 },
      ]
      // What an incarnation that goes on has under way is no request for nothing.
      expect(await ledger.agentWork()).toMatchObject(work(4 + 5))
      await ledger.endAllLeases()
      expect(await ledger.agentWork()).toMatchObject(work(7 + 5))
    })

    it('says of every inbox row which agent found it', async () => {
      const me = await ledger.join('finder')
      await ledger.append([append('a.test', '/')])
      const held = await lease(me, 'a.test')
      await ledger.commit(pack(me, 'p1', [share(held)], { appends: [append('b.test', '/1', '/2')] }))
      expect((await ledger.readInbox('a.test', 0, 10)).map(({ sender }) => sender)).toEqual([''])
      expect((await ledger.readInbox('b.test', 0, 10)).map(({ sender }) => sender)).toEqual([
        'finder',
        'finder',
      ])
    })

    it('adds up the lanes of an agent and what it heard, over its lives, each pack once', async () => {
      const heard = { links: 3, pages: new Uint8Array(16).fill(7), sites: new Uint8Array(8).fill(9) }
      await ledger.append([append('a.test', '/')])
      for (const incarnation of [1, 2]) {
        const me = await ledger.join('a')
        const held = await lease(me, 'a.test')
        const lanes = [
          { lane: 2, pages: 1, fetchMs: 10 },
          { lane: incarnation, pages: 2, fetchMs: 5 },
        ]
        const sent = pack(me, `p${incarnation}`, [share(held)], {
          lanes: incarnation === 2 ? lanes.slice(1) : lanes,
          received: heard,
        })
        await ledger.commit(sent)
        await ledger.commit(sent)
        await ledger.leave(me)
      }
      expect(await ledger.agentWork()).toMatchObject([
        {
          links: 6,
          messages: 4,
          coalescedMessages: 2,
          lanes: [
            { lane: 1, pages: 2, fetchMs: 5 },
            { lane: 2, pages: 3, fetchMs: 15 },
          ],
        },
      ])
      const [first, second] = await ledger.readHeard('a', 0, 10)
      expect([...first.pages]).toEqual([...heard.pages])
      expect([...second.sites]).toEqual([...heard.sites])
      expect(await ledger.readHeard('a', first.number, 10)).toHaveLength(1)
      expect(await ledger.readHeard('b', 0, 10)).toEqual([])
    })

    it('reads the journals of all cells in order, in parts', async () => {
      const me = await ledger.join('a')
      await ledger.append(['c', 'a', 'b'].map(name => append(`${name}.test`, '/')))
      const held = await Promise.all(['a', 'b', 'c'].map(name => lease(me, `${name}.test`)))
      const numbers = [1, 2]
      for (const number of numbers) {
        const cells = held.map(cell => share(cell, { number, journal: new Uint8Array([number]) }))
        await ledger.commit(pack(me, `p${number}`, cells))
      }
      const read: string[] = []
      for (let last = { cell: '', number: 0 }; ; ) {
        const batch = await ledger.readJournals(last, 2)
        expect(batch.length).toBeLessThanOrEqual(2)
        if (batch.length === 0) break
        for (const { cell, number, journal } of batch) {
          expect([...journal]).toEqual([number])
          read.push(`${cell} ${number}`)
          last = { cell, number }
        }
      }
      expect(read).toEqual(['a.test 1', 'a.test 2', 'b.test 1', 'b.test 2', 'c.test 1', 'c.test 2'])
    })

    it('swaps files only when every input is still listed', async () => {
      const me = await ledger.join('a')
      await ledger.commit(pack(me, 'p1', [], { files: [{ name: 'a', kind: 'pages-log', bytes: 1 }] }))
      expect(await ledger.swapFiles(['a', 'gone'], [{ name: 'b', kind: 'pages', bytes: 2 }])).toBe(false)
      expect((await ledger.files()).map(file => file.name)).toEqual(['a'])
      expect(await ledger.swapFiles(['a'], [{ name: 'b', kind: 'pages', bytes: 2 }])).toBe(true)
      expect((await ledger.files()).map(file => file.name)).toEqual(['b'])
    })

    it('keeps the digest of a file beside its length: both change with each pack, and come with a swap', async () => {
      const me = await ledger.join('a')
      const digestOf = async () =>
        (await ledger.files()).map(({ name, bytes, crc32 }) => [name, bytes, crc32])
      const log = (bytes: number, crc32?: number) => ({
        name: 'a',
        kind: 'pages-log',
        bytes,
        ...(crc32 !== undefined && { crc32 }),
      })
      await ledger.commit(pack(me, 'p1', [], { files: [log(1, 0xffff_ffff)] }))
      expect(await digestOf()).toEqual([['a', 1, 0xffff_ffff]])
      await ledger.commit(pack(me, 'p2', [], { files: [log(2, 0)] }))
      expect(await digestOf()).toEqual([['a', 2, 0]])
      await ledger.commit(pack(me, 'p3', [], { files: [log(3)] }))
      expect(await digestOf()).toEqual([['a', 3, null]])
      await ledger.swapFiles(['a'], [{ name: 'b', kind: 'pages', bytes: 4, crc32: 5 }])
      expect(await digestOf()).toEqual([['b', 4, 5]])
    })

    it('keeps origins, meta-info and settings', async () => {
      const origin = {
        origin: 'http://a.test',
        checkedAt: 5,
        failures: 1,
        verdict: 'rules' as const,
        status: 200,
        detail: '',
        body: Buffer.from('x'),
      }
      await ledger.saveOrigin('a.test', origin)
      expect(await ledger.loadOrigins('a.test')).toMatchObject([{ ...origin, body: expect.anything() }])
      expect(await ledger.refusedOrigins(10)).toEqual({ total: 0, first: [] })
      for (const [i, verdict] of (['unavailable', 'unreachable', 'unavailable'] as const).entries())
        await ledger.saveOrigin('b.test', {
          ...origin,
          origin: `http://b${i}.test`,
          verdict,
          status: 503,
          failures: 2,
        })
      const refused = { checkedAt: origin.checkedAt, failures: 2, status: 503, detail: '' }
      expect(await ledger.refusedOrigins(1)).toEqual({
        total: 2,
        first: [{ ...refused, origin: 'http://b0.test' }],
      })
      const meta = {
        etag: '"1"',
        lastModified: '',
        digest: 'sha1:A',
        storedAt: '2026',
        links: ['http://b.test/ anchor', 'http://c.test/ frame nofollow'],
      }
      await ledger.saveMeta([{ cell: 'a.test', url: 'http://a.test/', meta }])
      expect(
        (await ledger.loadMeta('a.test', ['http://a.test/', 'http://a.test/x'])).get('http://a.test/'),
      ).toEqual(meta)
      const facts = Buffer.from('facts')
      const said = { cell: 'a.test', url: 'http://a.test/', facts }
      await ledger.saveFacts([
        { ...said, digest: 'sha1:A' },
        { ...said, digest: 'sha1:B', facts: Buffer.from('of another payload') },
        { ...said, url: 'http://a.test/none', digest: 'sha1:A' },
      ])
      const known = await ledger.loadMeta('a.test', ['http://a.test/', 'http://a.test/none'])
      expect([...known.keys()]).toEqual(['http://a.test/'])
      expect(Buffer.from(known.get('http://a.test/')?.facts ?? [])).toEqual(facts)
      await ledger.set({ delay: '5' })
      expect(await ledger.settings()).toMatchObject({ delay: '5' })
    })

    it('tells agents of settings, but not of what coordinators leave to each other', async () => {
      const told = { delay: '5', 'routing.owners': '["a"]' }
      const untold = { 'seat.repartitions': '[]', 'crawl.file': '{}' }
      await ledger.set({ ...told, ...untold })
      expect(await ledger.settings()).toMatchObject({ ...told, ...untold })
      const { settings } = await ledger.heartbeat(await ledger.join('a'), LEASE, '{}')
      expect(settings).toMatchObject(told)
      for (const name of Object.keys(untold)) expect(settings).not.toHaveProperty([name])
    })
  })
}
