/** A site in the hands of an agent, with a real queue and a pace and robots state that the test decides. */

import { LaneCount, type OriginRobots, SiteCrawl } from '../../src/cluster/agent/site/index.js'
import { type CellPart, type Clock, type Lease, WakeUp } from '../../src/model/index.js'
import { CellFrontier, type FrontierEntry } from '../../src/page/frontier/index.js'
import { SiteTraps } from '../../src/page/frontier/traps/index.js'
import type { SitePace } from '../../src/page/politeness/index.js'
import { space } from './frontier-space.js'

const LEASE: Lease = {
  cell: 'a.test',
  epoch: 1,
  until: 0,
  lastPack: 0,
  cursor: 0,
  appended: 0,
  notBefore: 0,
  waitUntil: 0,
  turnFrom: 0,
  delayMs: 0,
  grant: 1,
  lane: 0,
}

const IDLE_PACE: Partial<SitePace> = {
  gate: null,
  waitUntil: 0,
  waitReason: '',
  wait: () => {},
  giveUp: () => {},
  prolong: () => {},
  groupWaits: () => [],
}

export interface MadeSite {
  readonly clock: Clock
  readonly cell?: string
  readonly epoch?: number
  /** As the ledger granted it, in the place of a made one. */
  readonly lease?: Lease
  readonly pace?: Partial<SitePace>
  readonly originRobots?: Partial<OriginRobots>
  readonly part?: CellPart
  readonly answered?: boolean
  readonly lanes?: LaneCount
}

/** The queue lives in the frontier space of the running test. */
export function madeSite({ clock, cell = 'a.test', ...made }: MadeSite): SiteCrawl {
  const frontier = new CellFrontier(space, { maxDepth: Number.POSITIVE_INFINITY })
  return new SiteCrawl(
    {
      lease: made.lease ?? { ...LEASE, cell, epoch: made.epoch ?? 1 },
      frontier,
      traps: new SiteTraps({ rules: new Set(), maxPages: 1_000, clock, known: frontier }),
      pace: { ...IDLE_PACE, ...made.pace } as SitePace,
      originRobots: (made.originRobots ?? {}) as OriginRobots,
      lanes: made.lanes ?? new LaneCount(9),
      part: made.part ?? null,
      answered: made.answered ?? false,
    },
    new WakeUp(clock),
  )
}

export const entryOf = (url: string, more: Partial<FrontierEntry> = {}): FrontierEntry => ({
  url,
  depth: 1,
  hops: 0,
  score: 0,
  via: '',
  attempt: 1,
  ...more,
})
