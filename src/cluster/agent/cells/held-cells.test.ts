import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { space } from '../../../../test/kit/frontier-space.js'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import type { Incarnation, Ledger } from '../../../ledger/index.js'
import { openSqliteLedger } from '../../../ledger/sqlite/index.js'
import { type CellId, SplitCells, WakeUp } from '../../../model/index.js'
import { CellFrontier } from '../../../page/frontier/index.js'
import { SiteTraps } from '../../../page/frontier/traps/index.js'
import { Turns } from '../../../page/politeness/index.js'
import { LaneCount, PageFaults, type SiteCrawl } from '../site/index.js'
import { HeldCells, type SiteTasks } from './held-cells.js'
import { SiteOpener } from './site-opener.js'

const LEASE_MS = 30_000
const DELAY_MS = 1_000

describe('what an agent holds', () => {
  let clock: ManualClock
  let ledger: Ledger
  let stopping: AbortController

  beforeEach(() => {
    clock = new ManualClock()
    stopping = new AbortController()
    const path = join(mkdtempSync(join(tmpdir(), 'orb-heldCells-')), 'ledger.db')
    ledger = openSqliteLedger(path, { create: true, now: () => clock.now() })
  })
  afterEach(() => ledger.close())

  /** An agent whose sites are crawled until `end` is called for them. */
  async function agent(name = 'agent') {
    const incarnation = await ledger.join(name)
    const ends = new Map<CellId, () => void>()
    const lost: CellId[] = []
    const onFailure = (error: Error) => {
      throw error
    }
    const turns = new Turns({
      clock,
      ledger,
      incarnation,
      grouping: 'domain',
      resolve: async () => [],
      leastDelayMs: () => DELAY_MS,
      connectionsPerSite: () => 1,
      leaseMs: LEASE_MS,
      signal: stopping.signal,
      onFailure,
    })
    const siteOpener = new SiteOpener({
      clock,
      ledger,
      space,
      turns,
      cells: new SplitCells(),
      lanes: new LaneCount(10),
      faults: new PageFaults(() => {}),
      robots: {
        mode: 'ignore',
        productToken: 'orbweaver',
        retryMs: 1_000,
        isLocal: () => false,
        maxTries: 3,
        maxFailures: 3,
        recheckMs: 3_600_000,
        runStartedAt: 0,
      },
      newFrontier: () => new CellFrontier(space, { maxDepth: 10, order: 'breadth' }),
      newTraps: known => new SiteTraps({ rules: new Set(), maxPages: 1_000, clock, known }),
    })
    const heldCells = new HeldCells({
      clock,
      ledger,
      incarnation,
      siteOpener,
      signal: stopping.signal,
      wake: new WakeUp(clock),
      onFailure,
    })
    const tasks: SiteTasks = {
      run: site => new Promise<void>(resolve => ends.set(site.cell, resolve)),
      lose: sites => {
        for (const { cell } of sites) {
          lost.push(cell)
          ends.get(cell)?.()
        }
      },
      closed: () => {},
    }
    const open = () => heldCells.open(tasks)
    return { incarnation, heldCells, open, lost, end: (cell: CellId) => ends.get(cell)?.() }
  }

  async function grant(to: Incarnation, cell: CellId): Promise<void> {
    const row = { url: `http://${cell}/`, depth: 0, hops: 0, score: 0, via: '' }
    await ledger.append([{ cell, group: cell, rows: [row] }])
    expect(await ledger.grant(to, [cell], LEASE_MS, DELAY_MS)).toHaveLength(1)
  }

  const takeUp = async ({ heldCells, open }: Awaited<ReturnType<typeof agent>>) => {
    heldCells.recheck()
    await open()
    while (heldCells.opening > 0) await new Promise(resolve => setImmediate(resolve))
  }
  const beat = (incarnation: Incarnation) => ledger.heartbeat(incarnation, LEASE_MS, '{}')
  const cells = (sites: readonly SiteCrawl[]) => sites.map(({ cell }) => cell)

  it('the ledger granted, and names: none is lost', async () => {
    const holder = await agent()
    const { incarnation, heldCells } = holder
    await grant(incarnation, 'a.test')
    await takeUp(holder)
    expect([...heldCells.sites.keys()]).toEqual(['a.test'])
    expect(heldCells.compare(await beat(incarnation))).toEqual([])
  })

  it('a lease that the ledger no longer names is lost, also when it was the last of all that it granted', async () => {
    const holder = await agent()
    const { incarnation, heldCells } = holder
    await grant(incarnation, 'a.test')
    await grant(incarnation, 'b.test')
    await takeUp(holder)
    for (const cell of ['a.test', 'b.test']) await ledger.release(cell, 1, 'head')
    expect(cells(heldCells.compare(await beat(incarnation)))).toEqual(['a.test', 'b.test'])
  })

  it('a lease granted after the heartbeat was answered is not lost because the answer does not name it', async () => {
    const holder = await agent()
    const { incarnation, heldCells } = holder
    await grant(incarnation, 'a.test')
    const early = await beat(incarnation)
    await grant(incarnation, 'b.test')
    await takeUp(holder)
    expect(cells(heldCells.compare(early))).toEqual([])
    expect([...heldCells.sites.keys()]).toEqual(['a.test', 'b.test'])
  })

  it('a lease that was lost before it could be opened is not opened', async () => {
    const holder = await agent()
    const { incarnation, heldCells } = holder
    await grant(incarnation, 'a.test')
    const [lease] = await ledger.leases(incarnation, 0)
    heldCells.recheck()
    const taking = holder.open()
    await ledger.release('a.test', lease.epoch, 'head')
    heldCells.compare(await beat(incarnation))
    await taking
    while (heldCells.opening > 0) await new Promise(resolve => setImmediate(resolve))
    expect(heldCells.count).toBe(0)
  })

  it('a cell that comes back under a new epoch is opened when the old work on it is over', async () => {
    const holder = await agent()
    const { incarnation, heldCells, lost } = holder
    await grant(incarnation, 'a.test')
    await takeUp(holder)
    await ledger.release('a.test', 1, 'head')
    clock.advance(DELAY_MS)
    expect(await ledger.grant(incarnation, ['a.test'], LEASE_MS, DELAY_MS)).toHaveLength(1)
    await takeUp(holder)
    expect(lost).toEqual(['a.test'])
    expect(heldCells.sites.get('a.test')?.lease.epoch).toBe(2)
  })
})
