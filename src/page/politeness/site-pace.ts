/**
 * When the next request to one site may be sent: after its own pause, after any wait it asked for, and when
 * it has the turn of every group it belongs to. It waits for a turn without holding another.
 */

import { type Clock, forDisplay, type GroupId, LIMITS, type Millis } from '../../model/index.js'
import type { GroupPace } from './group-pace.js'
import type { PhaseGate } from './phase-gate.js'
import type { Delay } from './politeness.js'
import { type KnownWait, SiteWait } from './site-wait.js'
import { TurnWaiter } from './turn-waiter.js'

/** Pauses after a request: of the site, and of its groups. A Crawl-delay is the site's alone. */
export interface Pause {
  readonly ownMs: Millis
  readonly groupMs: Millis
}

export interface SitePaceParts extends KnownWait {
  readonly clock: Clock
  readonly groups: readonly GroupPace[]
  /** What other cells of the site, in our hands too, keep to; without it, there are none. */
  readonly own?: SiteWait | undefined
  /** Writes into the ledger what the next holder of this site has to keep to. */
  readonly save: (waitUntil: Millis, pause: Pause) => Promise<void>
  /** Under `phases`: when the clock lets it be asked. */
  readonly gate?: PhaseGate | null
}

export class SitePace {
  readonly #parts: SitePaceParts
  readonly #waiters = new Set<TurnWaiter>()
  /** Null where turns say who may ask, not the clock. */
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

  /** What it shares with other cells of its site. */
  get own(): SiteWait {
    return this.#own
  }

  /** Until when the site itself asked to be left alone, or its failures made us. */
  get waitUntil(): Millis {
    return this.#own.waitUntil
  }

  get waitReason(): string {
    return this.#own.waitReason
  }

  /** When the next request can be sent as things stand. */
  expectedAt(now: Millis): Millis {
    let at = Math.max(now, this.#own.notBefore, this.#own.waitUntil)
    for (const group of this.groups) at = Math.max(at, group.expectedAt(now))
    return Math.max(at, this.opensAt(now))
  }

  /** True while another site has a turn that this one needs. */
  isInLine(now: Millis): boolean {
    for (const group of this.groups) if (group.sites > 1 && !group.isFree(now)) return true
    return false
  }

  /** True while the clock does not let it be asked. */
  get isShut(): boolean {
    return this.gate?.isShut ?? false
  }

  /** When the clock lets it be asked; 0 where it has no say. */
  opensAt(now: Millis): Millis {
    return this.gate === null ? 0 : now + this.gate.opensInMs()
  }

  /** The earliest time of the next request, whoever else is in line. */
  get readyAt(): Millis {
    let at = Math.max(this.#own.notBefore, this.#own.waitUntil)
    for (const group of this.groups) if (!group.dissolved) at = Math.max(at, group.nextAllowed)
    return at
  }

  /** What it waits for, for people. */
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

  /** Next allowed times of the groups that lie ahead: they go into the ledger with the next pack. */
  *groupWaits(now: Millis): Iterable<{ group: GroupId; nextAllowed: Millis }> {
    for (const { id, nextAllowed } of this.groups) if (nextAllowed > now) yield { group: id, nextAllowed }
  }

  /** Takes the turn if that needs no wait. */
  turnNow(pause: Pause): boolean {
    const now = this.#parts.clock.now()
    if (this.gate !== null && (this.gate.waitMs(pause) > 0 || this.gate.pending !== null)) return false
    if (this.#own.saving !== null || this.#ownWaitMs(now) > 0 || this.#blocker(now) !== null) return false
    this.#take(now, pause)
    return true
  }

  /** Waits for the turn and takes it. False when `giveUp` ended the wait; then no turn was taken. */
  turn(pause: Pause): Promise<boolean> {
    if (this.#givenUp) return Promise.resolve(false)
    return new Promise(resolve => {
      const waiter = new TurnWaiter(this, this.#parts.clock, pause, resolve)
      this.#waiters.add(waiter)
      waiter.retry()
    })
  }

  /**
   * True while nothing has been learned since the turn was taken that forbids the request, and there is time
   * left for it: who takes a turn and then waits for something else may find that others of the group did not
   * wait for him.
   */
  isStillDue(): boolean {
    const now = this.#parts.clock.now()
    if (this.gate !== null && !this.gate.mayBegin()) return false
    return this.#own.waitUntil <= now && now - this.#takenAt <= LIMITS.turnHoldMs / 2
  }

  /** The request that had the turn is over, or was not sent after all. */
  done(taken: Pause, pauseAfter: Pause): void {
    const groupUntil = this.#pausedUntil(pauseAfter.groupMs)
    this.#own.notBefore = this.#pausedUntil(pauseAfter.ownMs)
    if (pauseAfter.ownMs > this.#own.knownMs) this.#tell(pauseAfter)
    if (this.#holdsGroups(taken)) for (const group of this.groups) group.release(groupUntil)
    else if (pauseAfter.groupMs > 0) for (const group of this.groups) group.postpone(groupUntil)
  }

  /** The rules just read ask for a longer pause than was kept so far: it runs from `since` already. */
  prolong(ownMs: Millis, since: Millis): void {
    const until = since + ownMs + this.#parts.clock.grainMs
    if (ownMs === 0 || until <= this.#own.notBefore) return
    this.#own.notBefore = until
    this.#own.crawlDelayMs = ownMs
    if (ownMs > this.#own.knownMs) this.#tell({ ownMs, groupMs: 0 })
  }

  /** The site is to be left alone: in the ledger before anything else is asked of it. */
  wait(until: Millis, reason: string): void {
    if (until <= this.#own.waitUntil) return
    this.#own.waitUntil = until
    this.#own.waitReason = forDisplay(reason)
    this.#save({ ownMs: this.#own.knownMs, groupMs: 0 })
  }

  /** The delay was lowered while we wait. */
  ease(delayMs: Millis): void {
    const soonest = this.#parts.clock.now() + Math.max(delayMs, this.#own.crawlDelayMs)
    this.#own.notBefore = Math.min(this.#own.notBefore, soonest)
    for (const waiter of [...this.#waiters]) waiter.retry()
  }

  /** Nobody waits for this site any more. */
  giveUp(): void {
    this.#givenUp = true
    for (const waiter of [...this.#waiters]) this.ended(waiter, false)
  }

  /** For seekers: what to wait for first, or the turn. */
  seek(waiter: TurnWaiter): void {
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

  /** For seekers: the wait is over, one way or the other. */
  ended(waiter: TurnWaiter, hasTurn: boolean): void {
    this.#waiters.delete(waiter)
    waiter.end(hasTurn)
  }

  /** The wall clock is coarse: a pause read off it alone could end a part of a millisecond too early. */
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

  /**
   * Without a pause there is nothing to keep apart, but for the cells of one site: it is asked once at a
   * time.
   */
  #holdsGroups({ groupMs }: Pause): boolean {
    return groupMs > 0 || this.#parts.own !== undefined
  }

  /** Rounded up to a power of two: the ledger hears of a slow site a few times, not with every page. */
  #tell(pause: Pause): void {
    this.#own.knownMs = 2 ** Math.ceil(Math.log2(pause.ownMs))
    this.#save({ ownMs: this.#own.knownMs, groupMs: pause.groupMs })
  }

  #save(pause: Pause): void {
    // By the clock others may ask before the pause is over, if it is longer than what is left of the window.
    const isSlow = this.gate !== null && pause.ownMs > this.gate.slowMs
    const until = isSlow ? Math.max(this.#own.waitUntil, this.#own.notBefore) : this.#own.waitUntil
    const saving: Promise<void> = this.#parts.save(until, pause).then(() => {
      if (this.#own.saving === saving) this.#own.saving = null
    })
    this.#own.saving = saving
  }
}
