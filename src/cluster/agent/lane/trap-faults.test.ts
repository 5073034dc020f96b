/** Trap rules that throw at a URL: the URL is asked for, and its cell can be opened again. */
import { expect, it } from 'vitest'
import { space } from '../../../../test/kit/frontier-space.js'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { PackBuilder } from '../../../data/store/index.js'
import { openMemoryLedger } from '../../../ledger/memory/index.js'
import { type Discovery, type Lease, SplitCells, type TrapName, WakeUp } from '../../../model/index.js'
import { CellFrontier } from '../../../page/frontier/index.js'
import { SiteTraps } from '../../../page/frontier/traps/index.js'
import type { SitePace, Turns } from '../../../page/politeness/index.js'
import { SiteOpener } from '../cells/index.js'
import { OpenPack } from '../pack/index.js'
import { LaneCount, type OriginRobots, PageFaults, SiteCrawl } from '../site/index.js'
import { Admission } from './admission.js'

const CELL = 'a.test'
const found = (name: string): Discovery => ({
  url: `http://${CELL}/${name}`,
  depth: 1,
  hops: 0,
  score: 0,
  via: '',
})
const clock = new ManualClock()
const pace = { groupWaits: () => [] } as Partial<SitePace> as SitePace

function check({ url }: Discovery): void {
  if (url.endsWith('/odd')) throw new RangeError('Invalid date')
}

function newTraps(known: CellFrontier): SiteTraps {
  const traps = new SiteTraps({ rules: new Set(), maxPages: 1_000, clock, known })
  const { judge, replay } = SiteTraps.prototype
  return Object.assign(traps, {
    judge: (discovery: Discovery) => {
      check(discovery)
      return judge.call(traps, discovery)
    },
    replay: (discovery: Discovery, refusedBy: TrapName | null) => {
      check(discovery)
      replay.call(traps, discovery, refusedBy)
    },
  })
}

const newFrontier = () => new CellFrontier(space, { maxDepth: Number.POSITIVE_INFINITY })
const leaseOf = async (ledger: ReturnType<typeof openMemoryLedger>, incarnation: number): Promise<Lease> => {
  const [lease] = await ledger.grant(incarnation, [CELL], 60_000, 0)
  return lease!
}

it('the URL joins the queue, and the cell is rebuilt with it', async () => {
  const logged: string[] = []
  const faults = new PageFaults(event => void logged.push(event))
  const ledger = openMemoryLedger(() => clock.now())
  await ledger.append([{ cell: CELL, group: CELL, rows: [found('')] }])
  const incarnation = await ledger.join('agent-1', 2)
  const frontier = newFrontier()
  const lanes = new LaneCount(1)
  const parts = { frontier, traps: newTraps(frontier), pace, originRobots: {} as OriginRobots, lanes }
  const site = new SiteCrawl({ lease: await leaseOf(ledger, incarnation), ...parts }, new WakeUp(clock))
  const pack = new OpenPack('p', 'a', 0, new PackBuilder({ agent: 'a', records: null, tables: true }))
  const refuse = () => expect.unreachable()
  const admission = new Admission(refuse, faults)
  for (const name of ['before', 'odd', 'after']) admission.admit(site, pack, found(name))
  expect(frontier.size).toBe(3)
  const heard = { links: 0, pages: new Uint8Array(), sites: new Uint8Array() }
  const answer = await ledger.commit(pack.toLedger(incarnation, [], 0, heard, 'none', 0))
  expect(answer).toEqual({ status: 'committed' })
  await ledger.release(CELL, site.lease.epoch, 'tail')
  const siteOpener = new SiteOpener({
    clock,
    ledger,
    space,
    turns: { open: async () => pace } as Partial<Turns> as Turns,
    cells: new SplitCells(),
    lanes,
    faults,
    robots: {
      mode: 'ignore',
      productToken: 'orbweaver',
      retryMs: 0,
      isLocal: () => false,
      maxTries: 1,
      maxFailures: 1,
      recheckMs: 0,
      runStartedAt: 0,
    },
    newFrontier,
    newTraps,
  })
  const opened = await siteOpener.open(await leaseOf(ledger, incarnation))
  expect(opened?.frontier.size).toBe(3)
  expect(logged).toEqual(['internal error', 'internal error'])
})
