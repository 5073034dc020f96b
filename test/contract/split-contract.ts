/** What every ledger keeps when a cell is split: part of the contract (`ledger-contract.ts`). */
import { expect } from 'vitest'
import type { Ledger, Pack, PackCell } from '../../src/ledger/index.js'
import { type Lease, ownTurn } from '../../src/model/index.js'
import type { Runner } from './ledger-contract.js'

/** The ledger of the test that runs, and how the contract speaks of packs. */
export interface ContractKit {
  readonly ledger: () => Ledger
  readonly advance: (ms: number) => void
  readonly lease: (incarnation: number, cell: string) => Promise<Lease>
  readonly share: (lease: Lease, over?: Partial<PackCell>) => PackCell
  readonly pack: (incarnation: number, id: string, cells: PackCell[], over?: Partial<Pack>) => Pack
}

const LEASE = 10_000
const [SITE, LEFT, RIGHT] = ['a.test', 'a.test##/m', 'a.test#/m#']
const CHILDREN = [
  { cell: LEFT, queued: 3 },
  { cell: RIGHT, queued: 2 },
]
const rows = (...paths: string[]) =>
  paths.map(path => ({ url: `http://a.test${path}`, depth: 1, hops: 0, score: 0, via: '' }))
const to = (cell: string, ...paths: string[]) => ({ cell, group: 'a.test', rows: rows(...paths) })

export function splitContract({ describe, it }: Runner, kit: ContractKit): void {
  const { lease, share, pack } = kit

  /** A site with one committed pack, given back: who had it, and under which epoch. */
  async function givenBack(...paths: string[]): Promise<{ me: number; epoch: number }> {
    const ledger = kit.ledger()
    const me = await ledger.join('a')
    await ledger.append([to(SITE, '/')])
    const held = await lease(me, SITE)
    const [first] = await ledger.readInbox(SITE, 0, 10)
    const over = { consumed: 1, cursor: first.position, discovered: 6, settled: 1, pages: 1 }
    await ledger.commit(pack(me, 'p1', [share(held, { ...over, journal: new Uint8Array([1]) })]))
    await ledger.append([to(SITE, ...paths)])
    await ledger.release(SITE, held.epoch, 'tail')
    return { me, epoch: held.epoch }
  }

  describe('split', () => {
    it('closes the cell and puts its children at the tail of the queue, with its group and what is queued', async () => {
      const ledger = kit.ledger()
      const { epoch } = await givenBack('/a')
      await ledger.append([{ ...to('b.test', '/'), group: 'b.test' }])
      expect(await ledger.split(SITE, epoch, 1, CHILDREN)).toBe(true)
      expect((await ledger.waiting(10)).map(({ cell, group }) => [cell, group])).toEqual([
        ['b.test', 'b.test'],
        [LEFT, 'a.test'],
        [RIGHT, 'a.test'],
      ])
      const { cells, discovered, settled, backlog, pages } = await ledger.totals()
      expect({ closed: cells.closed, queued: discovered - settled, backlog, pages }).toEqual({
        closed: 1,
        queued: 5,
        backlog: 2,
        pages: 1,
      })
    })

    it('tells the pieces of a crawled site with it, also before they have a pack', async () => {
      const ledger = kit.ledger()
      const { epoch } = await givenBack('/a')
      await ledger.append([{ ...to('a.tesu', '/'), group: 'a.tesu' }])
      await ledger.split(SITE, epoch, 1, CHILDREN)
      const crawled = async (after: string, limit: number) =>
        (await ledger.sites(after, limit, 'crawled')).map(({ cell }) => cell)
      expect(await crawled('', 10)).toEqual([SITE, LEFT, RIGHT])
      expect(await crawled('', 2)).toEqual([SITE, LEFT])
      expect(await crawled(LEFT, 2)).toEqual([RIGHT])
      expect(await crawled(RIGHT, 2)).toEqual([])
      expect((await ledger.totals()).sites).toBe(2)
    })

    it('gives unread rows to the children of their paths, and counts them there', async () => {
      const ledger = kit.ledger()
      const { me, epoch } = await givenBack('/a', '/z', '/m', '/m#sitemap')
      await ledger.split(SITE, epoch, 1, CHILDREN)
      const [left, right] = [await lease(me, LEFT), await lease(me, RIGHT)]
      const urls = async (cell: string) => (await ledger.readInbox(cell, 0, 10)).map(({ url }) => url)
      expect(await urls(LEFT)).toEqual(['http://a.test/a'])
      expect(await urls(RIGHT)).toEqual(['http://a.test/z', 'http://a.test/m', 'http://a.test/m#sitemap'])
      expect(await urls(SITE)).toEqual([])
      expect([left.appended, right.appended]).toEqual([1, 3])
      expect(await ledger.finish(LEFT, left.epoch)).toBe(false)
    })

    it('gives what was read of an append to nobody', async () => {
      const ledger = kit.ledger()
      const me = await ledger.join('a')
      await ledger.append([to(SITE, '/a', '/z', '/b', '/y')])
      const held = await lease(me, SITE)
      const [, second] = await ledger.readInbox(SITE, 0, 2)
      await ledger.commit(pack(me, 'p1', [share(held, { consumed: 2, cursor: second.position })]))
      await ledger.release(SITE, held.epoch, 'tail')
      expect(await ledger.split(SITE, held.epoch, 1, CHILDREN)).toBe(true)
      const urls = async (cell: string) => (await ledger.readInbox(cell, 0, 10)).map(({ url }) => url)
      expect([await urls(LEFT), await urls(RIGHT)]).toEqual([['http://a.test/b'], ['http://a.test/y']])
      expect((await ledger.totals()).backlog).toBe(2)
    })

    it('is refused while somebody has the cell, or had it since', async () => {
      const ledger = kit.ledger()
      const { me, epoch } = await givenBack('/a')
      expect(await ledger.split(SITE, epoch, 0, CHILDREN)).toBe(false)
      const again = await lease(me, SITE)
      expect(await ledger.split(SITE, again.epoch, 1, CHILDREN)).toBe(false)
      await ledger.release(SITE, again.epoch, 'tail')
      expect(await ledger.split(SITE, epoch, 1, CHILDREN)).toBe(false)
      expect(await ledger.split(SITE, again.epoch, 1, CHILDREN)).toBe(true)
    })

    it('sent again is true again; another one is not', async () => {
      const ledger = kit.ledger()
      const { epoch } = await givenBack('/a')
      expect(await ledger.split(SITE, epoch, 1, CHILDREN)).toBe(true)
      expect(await ledger.split(SITE, epoch, 1, CHILDREN)).toBe(true)
      expect(await ledger.split(SITE, epoch, 1, [...CHILDREN].reverse())).toBe(false)
      expect((await ledger.totals()).backlog).toBe(1)
    })

    it('is possible while the cell rests, and not once the crawl has ended', async () => {
      const ledger = kit.ledger()
      const { me, epoch } = await givenBack()
      const held = await lease(me, SITE)
      await ledger.rest(SITE, held.epoch, 9_000_000)
      await ledger.set({ maxPages: '1' })
      expect(await ledger.tryEnd()).toBe('limit')
      expect(await ledger.split(SITE, held.epoch, 1, CHILDREN)).toBe(false)
      await ledger.reopen()
      expect(await ledger.split(SITE, epoch + 1, 1, CHILDREN)).toBe(true)
    })

    it('refuses packs with links for the closed cell, and says which cells stand in its place', async () => {
      const ledger = kit.ledger()
      const { me, epoch } = await givenBack('/a')
      await ledger.append([{ ...to('b.test', '/'), group: 'b.test' }])
      const other = await lease(me, 'b.test')
      await ledger.split(SITE, epoch, 1, CHILDREN)
      const sent = (cell: string) => pack(me, 'p2', [share(other)], { appends: [to(cell, '/n')] })
      expect(await ledger.commit(sent(SITE))).toEqual({
        status: 'moved',
        cells: [{ cell: SITE, children: [LEFT, RIGHT] }],
      })
      expect((await ledger.leases(me, 0)).find(({ cell }) => cell === 'b.test')?.lastPack).toBe(0)
      expect(await ledger.append([to(SITE, '/n')])).toBe(false)
      const sources = [{ cell: other.cell, epoch: other.epoch }]
      expect(await ledger.appendLinks({ incarnation: me, sources, appends: [to(SITE, '/n')] })).toEqual({
        status: 'moved',
        cells: [{ cell: SITE, children: [LEFT, RIGHT] }],
      })
      expect((await ledger.commit(sent(RIGHT))).status).toBe('committed')
      expect((await ledger.readInbox(RIGHT, 0, 10)).map(({ url }) => url)).toEqual(['http://a.test/n'])
    })

    it('fences off packs of the closed cell', async () => {
      const ledger = kit.ledger()
      const { me, epoch } = await givenBack('/a')
      const held = { cell: SITE, epoch, lastPack: 1, cursor: 0 } as Lease
      await ledger.split(SITE, epoch, 1, CHILDREN)
      expect(await ledger.commit(pack(me, 'p2', [share(held)]))).toEqual({ status: 'stale', cells: [SITE] })
      expect(await ledger.grant(me, [SITE], LEASE, 0)).toEqual([])
    })

    it('lets children go on with the packs of their parents; each pack is one cell’s alone', async () => {
      const ledger = kit.ledger()
      const { me, epoch } = await givenBack('/a')
      await ledger.split(SITE, epoch, 1, CHILDREN)
      const right = await lease(me, RIGHT)
      expect([right.lastPack, right.cursor, right.epoch > epoch]).toEqual([1, 0, true])
      await ledger.commit(pack(me, 'p2', [share(right, { journal: new Uint8Array([2]) })]))
      await ledger.release(RIGHT, right.epoch, 'tail')
      const inner = ['a.test#/m#/x', 'a.test#/x#']
      const parts = inner.map(cell => ({ cell, queued: 1 }))
      expect(await ledger.split(RIGHT, right.epoch, 2, parts)).toBe(true)
      const deep = await lease(me, inner[0])
      await ledger.commit(pack(me, 'p3', [share(deep, { journal: new Uint8Array([3]) })]))
      const packsOf = async (cell: string, from = 1) =>
        (await ledger.readJournal(cell, from, 1_000)).map(({ number, journal }) => [number, journal[0]])
      expect(await packsOf(inner[0])).toEqual([
        [1, 1],
        [2, 2],
        [3, 3],
      ])
      expect(await packsOf(inner[0], 2)).toEqual([
        [2, 2],
        [3, 3],
      ])
      expect(await packsOf(LEFT)).toEqual([[1, 1]])
      const all = await ledger.readJournals({ cell: '', number: 0 }, 1_000)
      expect(all.map(({ cell, number }) => [cell, number])).toEqual([
        [SITE, 1],
        [RIGHT, 2],
        [inner[0], 3],
      ])
    })

    it('keeps the delay of the site: a cell of it waits for the end of the last lease of any other', async () => {
      const ledger = kit.ledger()
      const { me, epoch } = await givenBack()
      await ledger.split(SITE, epoch, 1, CHILDREN)
      await ledger.saveWait(ownTurn(SITE), 0, 500)
      kit.advance(1_000)
      const left = await lease(me, LEFT)
      kit.advance(2_000)
      const { now } = await ledger.heartbeat(me, LEASE, '{}')
      await ledger.release(LEFT, left.epoch, 'tail')
      const other = await ledger.join('b')
      expect((await lease(other, RIGHT)).notBefore).toBe(now + 500)
    })

    it('leaves what is known of the site to all its cells', async () => {
      const ledger = kit.ledger()
      const { epoch } = await givenBack()
      const origin = { origin: 'http://a.test', checkedAt: 5, failures: 0, status: 200, detail: '' }
      await ledger.saveOrigin(SITE, { ...origin, verdict: 'rules', body: new Uint8Array([7]) })
      const meta = { etag: '"1"', lastModified: '', digest: 'd', storedAt: '', links: [] }
      await ledger.saveMeta([{ cell: SITE, url: 'http://a.test/z', meta }])
      await ledger.split(SITE, epoch, 1, CHILDREN)
      expect((await ledger.loadOrigins(RIGHT)).map(({ checkedAt }) => checkedAt)).toEqual([5])
      await ledger.saveOrigin(LEFT, {
        ...origin,
        checkedAt: 9,
        verdict: 'allow-all',
        body: new Uint8Array(0),
      })
      expect((await ledger.loadOrigins(RIGHT)).map(({ checkedAt }) => checkedAt)).toEqual([9])
      expect((await ledger.loadMeta(RIGHT, ['http://a.test/z'])).get('http://a.test/z')?.etag).toBe('"1"')
    })
  })
}
