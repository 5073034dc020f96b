/** A real ledger and store, and a site with the politeness of a test. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { space } from '../../../../test/kit/frontier-space.js'
import { madeSite } from '../../../../test/kit/made-site.js'
import { sampleExchange } from '../../../../test/kit/store-samples.js'
import { systemClock as clock } from '../../../compose/index.js'
import { DirectoryPackStore, PackBuilder } from '../../../data/store/index.js'
import type { Incarnation, Ledger, LinkBatch, Pack } from '../../../ledger/index.js'
import { openMemoryLedger } from '../../../ledger/memory/index.js'
import { type Lease, LIMITS, rangeCell, SeededRandom, SplitCells, Stop } from '../../../model/index.js'
import { siteOf } from '../../../model/url/index.js'
import { Counters, type SiteCrawl } from '../site/index.js'
import { MessageCount } from './message-count.js'
import { PageBudget } from './page-budget.js'
import { SentLinks } from './sent-links.js'
import { Transmitter } from './transmitter.js'

const LINK_BYTES = 10_000
const PAGE = 'http://a.test/'
const urls = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => `http://site-${from + i}.test/`)

describe('a pack with more links than one transaction should take', () => {
  let ledger: Ledger
  let incarnation: Incarnation
  let lease: Lease
  let site: SiteCrawl
  let transmitter: Transmitter
  /** What the ledger was asked to write, in order. */
  let writes: (LinkBatch | Pack)[]
  let lost: SiteCrawl[]
  let sent: SentLinks
  let budget: PageBudget
  /** Pages that the agent said it holds, each time it asked for its share. */
  let held: number[]
  /** Cells that were said to have gained rows. */
  let told: string[]
  let cells: SplitCells
  let stopping: Stop

  beforeEach(async () => {
    ledger = openMemoryLedger(() => clock.now())
    const rows = [{ url: PAGE, depth: 0, hops: 0, score: 0, via: '' }]
    await ledger.append([{ cell: 'a.test', group: 'a.test', rows }])
    incarnation = await ledger.join('agent-1', 1)
    lease = (await ledger.grant(incarnation, ['a.test'], 60_000, 0))[0]
    site = madeSite({ clock, lease })
    writes = []
    lost = []
    sent = new SentLinks(1)
    held = []
    const takeBudget: Ledger['takeBudget'] = (of, holds, want) => {
      held.push(holds)
      return ledger.takeBudget(of, holds, want)
    }
    budget = new PageBudget({ ...ledger, takeBudget }, incarnation)
    told = []
    stopping = new Stop()
    cells = new SplitCells()
    transmitter = assembled()
  })

  const assembled = (): Transmitter => {
    const directory = mkdtempSync(join(tmpdir(), 'orb-transmitter-'))
    const store = new DirectoryPackStore({
      directory,
      owner: { crawl: 'links', incarnation: incarnation },
      clock,
      records: null,
      info: {},
    })
    return new Transmitter({
      clock,
      random: new SeededRandom(1),
      ledger: { ...ledger, appendLinks: noted(ledger.appendLinks), commit: noted(ledger.commit) },
      store,
      incarnation: incarnation,
      grouping: 'domain',
      cells,
      sent,
      messageCount: new MessageCount('agent-1', ledger, space.seen),
      budget,
      counters: new Counters(),
      newBuilder: () => new PackBuilder({ agent: 'agent-1', records: null, tables: true }),
      linkBytes: LINK_BYTES,
      onCommitted: (_, targets) => void told.push(...targets),
      onLost: sites => void lost.push(...sites),
      onDiskTrouble: () => {},
      onFailure: error => {
        throw error
      },
      stopping: stopping.signal,
    })
  }

  const noted =
    <Written extends LinkBatch | Pack, Answer>(write: (written: Written) => Promise<Answer>) =>
    (written: Written): Promise<Answer> => {
      writes.push(written)
      return write(written)
    }

  const link = (found: readonly string[]) => {
    const packCell = transmitter.pack.cellFor(site)
    for (const url of found)
      packCell.append(cells.cellOf(url), { url, depth: 1, hops: 0, score: 0, via: PAGE })
  }

  const inInboxes = async (found: readonly string[]) => {
    const rows = await Promise.all(found.map(url => ledger.readInbox(siteOf(url), 0, 10)))
    return rows.flat().map(({ url }) => url)
  }

  it('has them committed in parts, all of them before the pack is', async () => {
    const found = urls(200)
    link(found)
    await transmitter.seal()
    const batches = writes.slice(0, -1)
    expect(batches).toHaveLength(4)
    for (const { appends } of writes) expect(appends.length).toBeLessThanOrEqual(LINK_BYTES / 192)
    expect(writes.at(-1)).toMatchObject({ cells: [{ cell: 'a.test', number: 1 }] })
    expect(await inInboxes(found)).toEqual(found)
    // Their agents are told, and the same links need not be sent again.
    expect(told).toEqual(found.map(siteOf))
    expect(found.filter(url => !sent.has(url))).toEqual([])
  })

  it('sends them where a split has put their cell, and each once', async () => {
    const target = 'b.test'
    const rows = [{ url: 'http://b.test/x', depth: 0, hops: 0, score: 0, via: '' }]
    await ledger.append([{ cell: target, group: target, rows }])
    const children = [
      { cell: rangeCell(target, { from: '', to: '/m' }), queued: 0 },
      { cell: rangeCell(target, { from: '/m', to: '' }), queued: 0 },
    ]
    link([...urls(100), 'http://b.test/a', 'http://b.test/z'])
    const [{ epoch }] = await ledger.grant(incarnation, [target], 60_000, 0)
    await ledger.release(target, epoch, 'tail')
    expect(await ledger.split(target, epoch, 0, children)).toBe(true)
    await transmitter.seal()
    const [low, high] = await Promise.all(children.map(({ cell }) => ledger.readInbox(cell, 0, 10)))
    expect([low, high].map(of => of.map(({ url }) => url))).toEqual([
      ['http://b.test/a'],
      ['http://b.test/x', 'http://b.test/z'],
    ])
    expect(await inInboxes(urls(100))).toEqual(urls(100))
  })

  it('is given up by who stops: nothing of it is committed, and the site is not gone on with', async () => {
    link(urls(200))
    stopping.abort()
    await transmitter.seal()
    expect(writes).toEqual([])
    expect(lost).toEqual([site])
    expect(site.packs.uncommitted).toBe(0)
  })

  it('of which a source is stale leaves no link of it behind', async () => {
    await ledger.release('a.test', lease.epoch, 'tail')
    expect(await budget.take()).toBe(true)
    const entry = { url: PAGE, depth: 0, hops: 0, score: 0, via: '', attempt: 1 }
    transmitter.pack.cellFor(site).settled(entry, 'OK', '', sampleExchange({ url: PAGE }))
    link(urls(200))
    await transmitter.seal()
    expect(lost).toEqual([site])
    expect(await inInboxes(urls(200))).toEqual([])
    // Its page is nobody's any more, and may be fetched by another.
    await budget.release()
    expect(held).toEqual([0, 0])
  })

  it('lets one page in at a time, however many wait', async () => {
    const many = Math.ceil(LIMITS.packRowBytes / 192)
    let inside = 0
    const page = async (number: number) => {
      while (!transmitter.hasRoom()) await transmitter.shipped()
      link(urls(many, number * many))
      inside++
      // The pack that is filling never holds two.
      expect(transmitter.pack.cellFor(site).appends.size).toBe(many)
    }
    await Promise.all([0, 1, 2, 3].map(page))
    await transmitter.seal()
    expect(inside).toBe(4)
    expect(await ledger.totals()).toMatchObject({ backlog: 4 * many + 1 })
  })
})
