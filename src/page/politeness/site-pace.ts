/**
 * Decides when the next request to one site may be sent: after its own pause, after a wait that it asked for,
 * and with the turn of each of its groups. It never holds one turn while it waits for another.
 */

import { type Clock, forDisplay, type GroupId, LIMITS, type Millis } from '../../model/index.js'
import type { GroupPace } from './group-pace.js'
import type { PhaseGate } from './phase-gate.js'
import type { Delay } from './politeness.js'
import { type KnownWait, SiteWait } from './site-wait.js'
import { TurnWaiter } from './turn-waiter.js'

/** Pauses after a request, of the site and of its groups. A Crawl-delay only applies to the site. */
export interface Pause {
  readonly ownMs: Millis
  readonly groupMs: Millis
}

export interface SitePaceParts extends KnownWait {
  readonly clock: Clock
  readonly groups: readonly GroupPace[]
  /** Shared with other open cells of the site, if there are any. */
  readonly own?: SiteWait | undefined
  /** Stores in the ledger what the next holder of this site must observe. */
  readonly save: (waitUntil: Millis, pause: Pause) => Promise<void>
  /** Under `phases`: when the clock permits requests. */
  readonly gate?: PhaseGate | null
}

export class SitePace {
  readonly #parts: SitePaceParts
  readonly #waiters = new Set<TurnWaiter>()
  /** Null if turns decide who may send requests, not the clock. */
  readonly gate: PhaseGate | null
  readonly #own: SiteWait
  /** When the turn was last taken. */
  #takenAt: Millis = 0
  #givenUp = false

  constructor(parts: SitePaceParts) {
    this.#parts = parts
    this.#own = parts.own ?? new SiteWait(parts)
    this.#own.join(parts)
    this.gate = parts.gate ?? null
    if (this.gate !== null)
      this.gate.onWait = until => {
        this.#own.waitUntil = Math.max(this.#own.waitUntil, until)
      }
  }

  get groups(): readonly GroupPace[] {
    return this.#parts.groups
  }

  /** The part shared with other cells of the site. */
  get own(): SiteWait {
    return this.#own
  }

  /** The end of the wait that the site asked for, or that its failures caused. */
  get waitUntil(): Millis {
    return this.#own.waitUntil
  }

  get waitReason(): string {
    return this.#own.waitReason
  }

  /** The time of the next request as things stand. */
  expectedAt(now: Millis): Millis {
    let at = Math.max(now, this.#own.notBefore, this.#own.waitUntil)
    for (const group of this.groups) at = Math.max(at, group.expectedAt(now))
    return Math.max(at, this.opensAt(now))
  }

  /** True while another site holds a turn that this site needs. */
  isInLine(now: Millis): boolean {
    for (const group of this.groups) if (group.sites > 1 && !group.isFree(now)) return true
    return false
  }

  /** True while the clock does not permit requests. */
  get isShut(): boolean {
    return this.gate?.isShut ?? false
  }

  /** When the clock permits requests; 0 without a gate. */
  opensAt(now: Millis): Millis {
    return this.gate === null ? 0 : now + this.gate.opensInMs()
  }

  /** The earliest time of the next request, regardless of other waiters. */
  get readyAt(): Millis {
    let at = Math.max(this.#own.notBefore, this.#own.waitUntil)
    for (const group of this.groups) if (!group.dissolved) at = Math.max(at, group.nextAllowed)
    return at
  }

  /** What the site waits for, for display. */
  reason(delay: Delay, now: Millis): string {
    const at = this.readyAt
    if (this.gate !== null && this.opensAt(now) > Math.max(at, now)) return this.gate.reason
    if (at === this.#own.waitUntil) return this.#own.waitReason
    if (at === this.#own.notBefore && this.#own.crawlDelayMs > 0) return 'the Crawl-delay of its robots.txt'
    const group = this.groups.find(
      ({ nextAllowed }) => nextAllowed === at && nextAllowed > this.#own.notBefore,
    )
    if (group && group.sites > 1)
      return `the turn of ${group.id}, shared by ${group.sites} sites, see --group`
    if (delay === 'auto') return 'its politeness delay, see --delay'
    return `one request every ${delay / 1000} s for a site, --delay`
  }

  /** Future times of the groups' next requests; the next pack stores them in the ledger. */
  *groupWaits(now: Millis): Iterable<{ group: GroupId; nextAllowed: Millis }> {
    for (const { id, nextAllowed } of this.groups) if (nextAllowed > now) yield { group: id, nextAllowed }
  }

  /** Takes the turn if no wait is necessary. */
  turnNow(pause: Pause): boolean {
    const now = this.#parts.clock.now()
    if (this.gate !== null && (this.gate.waitMs(pause) > 0 || this.gate.pending !== null)) return false
    if (this.#own.saving !== null || this.#ownWaitMs(now) > 0 || this.#blocker(now) !== null) return false
    this.#take(now, pause)
    return true
  }

  /** Waits for the turn and takes it. False without a turn if `giveUp` ended the wait. */
  turn(pause: Pause): Promise<boolean> {
    if (this.#givenUp) return Promise.resolve(false)
    return new Promise(resolve => {
      const waiter = new TurnWaiter(this, this.#parts.clock, pause, resolve)
      this.#waiters.add(waiter)
      waiter.retry()
    })
  }

  /**
   * True while the turn is still valid: no wait was learned since, and its time is not over. If its holder
   * waits for something else too long, other sites of the group no longer wait for it.
   */
  isStillDue(): boolean {
    const now = this.#parts.clock.now()
    if (this.gate !== null && !this.gate.mayBegin()) return false
    return this.#own.waitUntil <= now && now - this.#takenAt <= LIMITS.turnHoldMs / 2
  }

  /** The request with the turn is over, or was not sent. */
  done(taken: Pause, pauseAfter: Pause): void {
    const groupUntil = this.#pausedUntil(pauseAfter.groupMs)
    this.#own.notBefore = this.#pausedUntil(pauseAfter.ownMs)
    if (pauseAfter.ownMs > this.#own.knownMs) this.#tell(pauseAfter)
    if (this.#holdsGroups(taken)) for (const group of this.groups) group.release(groupUntil)
    else if (pauseAfter.groupMs > 0) for (const group of this.groups) group.postpone(groupUntil)
  }

  /** New rules ask for a longer pause, which counts from `since`. */
  prolong(ownMs: Millis, since: Millis): void {
    const until = since + ownMs + this.#parts.clock.grainMs
    if (ownMs === 0 || until <= this.#own.notBefore) return
    this.#own.notBefore = until
    this.#own.crawlDelayMs = ownMs
    if (ownMs > this.#own.knownMs) this.#tell({ ownMs, groupMs: 0 })
  }

  /** Leaves the site alone until then; stored in the ledger before the next request. */
  wait(until: Millis, reason: string): void {
    if (until <= this.#own.waitUntil) return
    this.#own.waitUntil = until
    this.#own.waitReason = forDisplay(reason)
    this.#save({ ownMs: this.#own.knownMs, groupMs: 0 })
  }

  /** The delay was lowered. */
  ease(delayMs: Millis): void {
    const soonest = this.#parts.clock.now() + Math.max(delayMs, this.#own.crawlDelayMs)
    this.#own.notBefore = Math.min(this.#own.notBefore, soonest)
    for (const waiter of [...this.#waiters]) waiter.retry()
  }

  /** Ends all waits for this site. */
  giveUp(): void {
    this.#givenUp = true
    for (const waiter of [...this.#waiters]) this.ended(waiter, false)
  }

  /** For waiters: takes the turn, or waits for the first obstacle. */
  advance(waiter: TurnWaiter): void {
    const now = this.#parts.clock.now()
    const shutMs = this.gate === null ? 0 : this.gate.waitMs(waiter.pause)
    if (shutMs > 0) {
      waiter.sleep(shutMs)
      return
    }
    const saving = this.#own.saving ?? this.gate?.pending
    if (saving) {
      void saving.then(() => this.#waiters.has(waiter) && waiter.retry())
      return
    }
    const ownMs = this.#ownWaitMs(now)
    const blocker = this.#blocker(now)
    if (ownMs > 0) waiter.sleep(ownMs)
    else if (blocker) waiter.queueIn(blocker)
    else {
      this.#take(now, waiter.pause)
      this.ended(waiter, true)
    }
  }

  /** For waiters: ends the wait. */
  ended(waiter: TurnWaiter, hasTurn: boolean): void {
    this.#waiters.delete(waiter)
    waiter.end(hasTurn)
  }

  /**
   * The wall clock is coarse, so a pause measured by it alone could be a fraction of a millisecond too short.
   */
  #pausedUntil(pauseMs: Millis): Millis {
    const { clock } = this.#parts
    return pauseMs > 0 ? clock.now() + pauseMs + clock.grainMs : clock.now()
  }

  #ownWaitMs(now: Millis): Millis {
    return Math.max(this.#own.notBefore, this.#own.waitUntil) - now
  }

  #blocker(now: Millis): GroupPace | null {
    for (const group of this.groups) if (!group.isFree(now)) return group
    return null
  }

  #take(now: Millis, pause: Pause): void {
    this.#takenAt = now
    this.gate?.took()
    this.#own.crawlDelayMs = pause.ownMs > pause.groupMs ? pause.ownMs : 0
    const { grainMs } = this.#parts.clock
    if (pause.ownMs > 0) this.#own.notBefore = now + pause.ownMs + grainMs
    const spacingMs = pause.groupMs > 0 ? pause.groupMs + grainMs : 0
    if (this.#holdsGroups(pause)) for (const group of this.groups) group.take(now, spacingMs)
  }

  /** Without a pause, turns only matter between the cells of one site, which gets one request at a time. */
  #holdsGroups({ groupMs }: Pause): boolean {
    return groupMs > 0 || this.#parts.own !== undefined
  }

  /**
   * Rounded up to a power of two, so that a slow site is written to the ledger a few times, not with every
   * page.
   */
  #tell(pause: Pause): void {
    this.#own.knownMs = 2 ** Math.ceil(Math.log2(pause.ownMs))
    this.#save({ ownMs: this.#own.knownMs, groupMs: pause.groupMs })
  }

  #save(pause: Pause): void {
    // Under `phases`, others may send requests before the pause is over if it does not fit into the window.
    const isSlow = this.gate !== null && pause.ownMs > this.gate.gates.slowMs
    const until = isSlow ? Math.max(this.#own.waitUntil, this.#own.notBefore) : this.#own.waitUntil
    const saving: Promise<void> = this.#parts.save(until, pause).then(() => {
      if (this.#own.saving === saving) this.#own.saving = null
    })
    this.#own.saving = saving
  }
}
