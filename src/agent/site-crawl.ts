/** One leased cell in an agent's hands: its queue, its pace, its rules, and what of it is not yet committed. */
import type { CellFrontier } from '../frontier/index.js'
import type { CellId, GroupId, Lease } from '../model/cell.js'
import type { Millis } from '../model/clock.js'
import type { OutcomeCode } from '../model/outcome.js'
import type { GroupPace } from './group-pace.js'
import type { OriginGate } from './origin-gate.js'
import type { Wake } from './wake.js'

/** `crawling`: lanes may take its URLs. `giving-up`: its queue is settled unasked. `leaving`: no new request. */
export type SiteMode =
  | { readonly is: 'crawling' }
  | { readonly is: 'giving-up'; readonly because: OutcomeCode; readonly detail: string }
  | { readonly is: 'leaving'; readonly to: 'slice' | 'park' | 'stop' | 'lost'; readonly until: Millis }

export interface SiteParts {
  readonly lease: Lease
  readonly group: GroupId
  readonly lane: number
  readonly frontier: CellFrontier
  readonly pace: GroupPace
  readonly gate: OriginGate
}

export class SiteCrawl {
  readonly cell: CellId
  readonly group: GroupId
  readonly lane: number
  readonly lease: Lease
  readonly frontier: CellFrontier
  readonly pace: GroupPace
  readonly gate: OriginGate
  mode: SiteMode = { is: 'crawling' }
  /** Visits under way. */
  inFlight = 0
  /** Packs, open or under way, that hold something of this cell. */
  uncommitted = 0
  /** Number of the last committed pack. */
  lastPack: number
  /** Inbox rows up to here were taken into the queue. */
  cursor: number
  /** The ledger says there may be rows past the cursor. */
  inboxDirty = true
  /** The ledger's count of inbox rows at the last heartbeat. */
  appendedSeen = -1
  /** Nothing ready and nothing under way: the lane is free for another site. */
  idle = false
  /** Rung when there may be something to do again. */
  readonly wake: Wake
  /** True once the site has answered anything: a site that never did is given up, one that did is parked. */
  answered = false
  visits = 0
  /** Connections at work on this site. */
  loops = 0

  constructor(parts: SiteParts, wake: Wake) {
    this.wake = wake
    this.cell = parts.lease.cell
    this.lease = parts.lease
    this.group = parts.group
    this.lane = parts.lane
    this.frontier = parts.frontier
    this.pace = parts.pace
    this.gate = parts.gate
    this.lastPack = parts.lease.lastPack
    this.cursor = parts.lease.cursor
  }

  get lost(): boolean {
    return this.mode.is === 'leaving' && this.mode.to === 'lost'
  }

  leave(to: 'slice' | 'park' | 'stop' | 'lost', until: Millis = 0): void {
    if (this.lost) return
    this.mode = { is: 'leaving', to, until }
  }

  giveUp(because: OutcomeCode, detail: string): void {
    if (this.mode.is === 'crawling') this.mode = { is: 'giving-up', because, detail }
  }
}
