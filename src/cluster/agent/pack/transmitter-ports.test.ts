/**
 * The order in which a pack is stored, committed and acknowledged, with a store and a ledger that may refuse.
 */
import { beforeEach, describe, expect, it } from 'vitest'
import { entryOf, madeSite } from '../../../../test/kit/made-site.js'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { sampleExchange, sampleRow } from '../../../../test/kit/store-samples.js'
import { PackBuilder, type PackStore } from '../../../data/store/index.js'
import type { CommitResult, Ledger, Pack } from '../../../ledger/index.js'
import { LIMITS, SeededRandom, SplitCells, Stop } from '../../../model/index.js'
import { Counters, type SiteCrawl } from '../site/index.js'
import type { MessageCount } from './message-count.js'
import type { PageBudget } from './page-budget.js'
import { SentLinks } from './sent-links.js'
import { Transmitter } from './transmitter.js'

const COMMITTED: CommitResult = { status: 'committed' }

let clock: ManualClock
let stopping: Stop
let steps: string[]
let packs: Pack[]
/** What the ledger and the store say, first answer first; then they take everything. */
let commits: CommitResult[]
let stored: ({ ok: true } | { ok: false; detail: string; code: string })[]
let failures: Error[]
let sent: SentLinks
let settledPages: number
let a: SiteCrawl
let b: SiteCrawl
let transmitter: Transmitter
/** Resolved by the test where a commit has to wait. */
let held: Promise<void> | null

beforeEach(() => {
  clock = new ManualClock()
  stopping = new Stop()
  steps = []
  packs = []
  commits = []
  stored = []
  failures = []
  settledPages = 0
  held = null
  sent = new SentLinks(1)
  a = madeSite({ clock, cell: 'a.test' })
  b = madeSite({ clock, cell: 'b.test' })
  transmitter = newTransmitter()
})

function newTransmitter(): Transmitter {
  const store = {
    append: async () => {
      const answer = stored.shift() ?? { ok: true }
      steps.push(answer.ok ? 'store' : 'disk refuses')
      return answer.ok ? { ok: true, files: [] } : answer
    },
    undo: async () => void steps.push('undo'),
  }
  const ledger = {
    commit: async (pack: Pack) => {
      if (held) await held
      const answer = commits.shift() ?? COMMITTED
      steps.push(answer.status)
      packs.push(pack)
      return answer
    },
  }
  const received = { links: 0, pages: new Uint8Array(), sites: new Uint8Array() }
  return new Transmitter({
    clock,
    random: new SeededRandom(1),
    ledger: ledger as unknown as Ledger,
    store: store as unknown as PackStore,
    incarnation: 1,
    grouping: 'domain',
    cells: new SplitCells(),
    sent,
    messageCount: {
      agent: 'agent-1',
      newIn: async () => received,
      committed: () => {},
    } as unknown as MessageCount,
    budget: {
      settled: (pages: number) => {
        settledPages += pages
      },
    } as unknown as PageBudget,
    counters: new Counters(),
    newBuilder: () => new PackBuilder({ agent: 'agent-1', records: null, tables: true }),
    linkBytes: LIMITS.linkBytes,
    onCommitted: sites => void steps.push(`acknowledged ${sites.map(({ cell }) => cell)}`),
    onLost: sites => void steps.push(`lost ${sites.map(({ cell }) => cell)}`),
    onDiskTrouble: detail => void (detail !== null && steps.push('disk trouble')),
    onFailure: error => void failures.push(error),
    stopping: stopping.signal,
  })
}

/** A page of the site with one link to another cell. */
function addPage(site: SiteCrawl, name = ''): void {
  const url = `http://${site.cell}/${name}`
  const { pack } = transmitter
  pack.builder.add({
    leaseKey: site.leaseKey,
    row: sampleRow({ url }),
    exchange: null,
    revisit: null,
    links: null,
    inTables: true,
    otherBytes: 0,
  })
  pack.cellFor(site).settled(entryOf(url), 'OK', '', sampleExchange({ url }))
  const link = { url: `http://c.test/${site.cell}${name}`, depth: 1, hops: 0, score: 0, via: url }
  pack.cellFor(site).append('c.test', link)
}

const turns = async (count = 50) => {
  for (let i = 0; i < count; i++) await Promise.resolve()
}

describe('a pack', () => {
  it('is stored, then committed, and only then acknowledged', async () => {
    addPage(a)
    await transmitter.seal()
    expect(steps).toEqual(['store', 'committed', 'acknowledged a.test'])
    expect(a.packs.uncommitted).toBe(0)
    expect(a.packs.last).toBe(1)
    expect(settledPages).toBe(1)
  })

  it('keeps its links as unsent until it is committed', async () => {
    addPage(a)
    let commit = () => {}
    held = new Promise(resolve => {
      commit = resolve
    })
    const sealing = transmitter.seal()
    await turns()
    expect(sent.has('http://c.test/a.test')).toBe(false)
    commit()
    await sealing
    expect(sent.has('http://c.test/a.test')).toBe(true)
  })

  it('with a stale cell is undone in the store and comes again without that cell', async () => {
    commits = [{ status: 'stale', cells: ['a.test'] }]
    addPage(a)
    addPage(b)
    await transmitter.seal()
    expect(steps).toEqual([
      'store',
      'stale',
      'undo',
      'lost a.test',
      'store',
      'committed',
      'acknowledged b.test',
    ])
    expect(packs[1]!.cells.map(({ cell }) => cell)).toEqual(['b.test'])
    expect(a.packs.last).toBe(0)
  })

  it('whose cells are all stale is not sent again', async () => {
    commits = [{ status: 'stale', cells: ['a.test'] }]
    addPage(a)
    await transmitter.seal()
    expect(steps).toEqual(['store', 'stale', 'undo', 'lost a.test'])
    expect(a.packs.uncommitted).toBe(0)
  })

  it('that the disk refuses is kept and stored as soon as there is room', async () => {
    stored = [{ ok: false, detail: 'full', code: 'ENOSPC' }]
    addPage(a)
    const sealing = transmitter.seal()
    await turns()
    expect(steps).toEqual(['disk refuses', 'disk trouble'])
    clock.advance(2_000)
    await sealing
    expect(steps.slice(2)).toEqual(['store', 'committed', 'acknowledged a.test'])
  })

  it('that the disk refuses while the agent stops is given up, not acknowledged', async () => {
    stored = [{ ok: false, detail: 'full', code: 'ENOSPC' }]
    stopping.abort()
    addPage(a)
    await transmitter.seal()
    expect(failures).toMatchObject([{ code: 'ENOSPC' }])
    expect(steps).toEqual(['disk refuses', 'disk trouble'])
  })

  it('that the ledger refuses ends the agent: none of the packs after it is sent', async () => {
    commits = [{ status: 'refused' } as CommitResult]
    addPage(a)
    await transmitter.seal()
    expect(failures).toHaveLength(1)
    addPage(a, 'next')
    await transmitter.seal()
    expect(steps).toEqual(['store', 'refused', 'undo'])
  })
})

describe('the pack that is filling', () => {
  it('is sealed by a poke once it is old, and not before', async () => {
    addPage(a)
    clock.advance(LIMITS.packAgeMs - 1)
    transmitter.poke()
    expect(transmitter.isShipping).toBe(false)
    clock.advance(1)
    transmitter.poke()
    expect(transmitter.isShipping).toBe(true)
    await transmitter.seal()
  })

  it('is another one while the last is under way, so that packs are committed in order', async () => {
    let commit = () => {}
    held = new Promise(resolve => {
      commit = resolve
    })
    addPage(a, '1')
    const first = transmitter.pack
    void transmitter.seal()
    await turns()
    expect(transmitter.pack).not.toBe(first)
    addPage(a, '2')
    const second = transmitter.seal()
    await turns()
    expect(packs).toEqual([])
    commit()
    await second
    expect(packs.map(({ cells }) => cells[0]!.number)).toEqual([1, 2])
  })

  it('has no room once it is full while the last is under way', async () => {
    let commit = () => {}
    held = new Promise(resolve => {
      commit = resolve
    })
    addPage(a, '1')
    void transmitter.seal()
    await turns()
    expect(transmitter.hasRoom()).toBe(true)
    transmitter.pack.grow(LIMITS.packRowBytes)
    expect(transmitter.hasRoom()).toBe(false)
    addPage(a, '2')
    commit()
    await transmitter.shipped()
    await turns()
    expect(transmitter.hasRoom()).toBe(true)
    await transmitter.seal()
  })

  it('forgets cells that are lost, and gives their pages back to the budget', async () => {
    addPage(a)
    addPage(b)
    transmitter.lose([a])
    expect(settledPages).toBe(1)
    await transmitter.seal()
    expect(packs[0]!.cells.map(({ cell }) => cell)).toEqual(['b.test'])
  })
})
