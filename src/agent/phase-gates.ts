/**
 * Under `phases` the clock says who may ask a host, not its turn (K4, K5). A site is asked only in the windows that its
 * phase has with the shard of the cell; what is still under way when a window ends is cut off. What other nodes have
 * learned of a site meanwhile (Retry-After, pauses) is read from the ledger at the beginning of each window.
 */
import { setMaxListeners } from 'node:events'
import {
  PhaseClock,
  type PhasePlan,
  type PhaseWindow,
  periodAt,
  phaseOf,
  usableMs,
  windowFor,
  windowOf,
} from '../assign/phases/index.js'
import type { Ledger } from '../cluster/index.js'
import { type Grouping, ownTurn } from '../model/cell.js'
import type { Cancel, Clock, Millis } from '../model/clock.js'
import type { Site } from '../model/url.js'
import type { GroupPace } from './group-pace.js'
import type { Pause } from './site-pace.js'
import type { Sending, Tenure } from './tenure.js'

/** Windows meet at the swap; what is under way then goes on; the first request after a swap does not wait. */
export type PhaseMistake = 'no-guard' | 'no-cut' | 'no-swap-wait'

export interface PhaseGatesParts {
  readonly plan: PhasePlan
  readonly clock: Clock
  /** The machine's own wall clock. */
  readonly wall: () => Millis
  /** Only for tests: the phase clock of this agent is wrong by so much. */
  readonly skewMs?: Millis | undefined
  /** Only for the simulator, to see that somebody notices. */
  readonly mistake?: PhaseMistake | undefined
  readonly ledger: Ledger
  readonly tenure: Tenure
  readonly grouping: Grouping
  readonly leaseMs: Millis
  readonly onFailure: (error: Error) => void
}

/** While the time is not known for certain, it is looked at this often. */
const LOOK_MS = 250
const CUT_OFF = 'the window has ended'
/** A measure of the ledger's time is good for this part of a lease. */
const MEASURE_LEASES = 1 / 2
/** A site whose pause takes more than this part of a window tells the ledger of each window in which it is asked. */
const SLOW_SHARE = 1 / 2
/** A request that had this part of a window and was cut off is the server's fault. */
const FAIR_SHARE = 1 / 4

export class PhaseGates {
  readonly plan: PhasePlan
  readonly slowMs: Millis
  /** Who was given as long and has not answered is too slow. */
  readonly fairMs: Millis
  readonly #parts: PhaseGatesParts
  readonly #time: PhaseClock
  #cutter = new AbortController()
  #period = Number.NEGATIVE_INFINITY
  #cancel: Cancel = () => {}
  #tied: AbortSignal | null = null

  constructor(parts: PhaseGatesParts) {
    const { plan, clock, wall, skewMs, leaseMs, mistake } = parts
    this.#parts = parts
    this.plan = mistake === 'no-guard' ? { ...plan, guardMs: 0, drainMs: 0 } : plan
    this.slowMs = usableMs(plan) * SLOW_SHARE
    this.fairMs = usableMs(plan) * FAIR_SHARE
    this.#time = new PhaseClock({
      monotonic: () => clock.monotonic(),
      wall,
      guardMs: plan.guardMs,
      maxAgeMs: leaseMs * MEASURE_LEASES,
      skewMs,
    })
  }

  /** A heartbeat was answered. */
  measured(sent: Sending, now: Millis): void {
    if (!this.#time.measured(sent.monotonic, now)) this.#cutter.abort(CUT_OFF)
  }

  /** Ledger time; null while it is not known for certain. */
  now(): Millis | null {
    return this.#time.now()
  }

  windowOf(site: Site, shard: number, at: Millis): PhaseWindow {
    return windowFor(this.plan, shard, phaseOf(site, this.#parts.grouping, this.plan), at)
  }

  /** True while a request of that shard to that site may begin. */
  isOpen(site: Site, shard: number): boolean {
    const at = this.now()
    return at !== null && this.#parts.tenure.holds && this.windowOf(site, shard, at).opensAt <= at
  }

  /** False only for the simulator. */
  get waitsAfterSwap(): boolean {
    return this.#parts.mistake !== 'no-swap-wait'
  }

  gateOf(site: Site, shard: number, groups: readonly GroupPace[]): PhaseGate {
    return new PhaseGate(this, this.#parts, site, shard, groups)
  }

  /** For requests: aborts at the end of the window, at the end of the leases, and when the agent stops. */
  get signal(): AbortSignal {
    const at = this.now()
    const period = at === null ? Number.NEGATIVE_INFINITY : periodAt(this.plan, at)
    if (period !== this.#period || this.#cutter.signal.aborted) this.#newCutter(period, at)
    return this.#cutter.signal
  }

  #newCutter(period: number, at: Millis | null): void {
    const { clock, tenure } = this.#parts
    this.#cancel()
    // Its timer may be late.
    this.#cutter.abort(CUT_OFF)
    const cutter = new AbortController()
    setMaxListeners(0, cutter.signal)
    this.#cutter = cutter
    this.#period = period
    if (tenure.signal !== this.#tied) {
      this.#tied = tenure.signal
      this.#tied.addEventListener('abort', () => this.#cutter.abort(CUT_OFF), { once: true })
    }
    if (at === null || tenure.signal.aborted) return cutter.abort(CUT_OFF)
    const leftMs = windowOf(this.plan, period).cutAt - at
    if (leftMs <= 0) cutter.abort(CUT_OFF)
    else if (this.#parts.mistake !== 'no-cut') this.#cancel = clock.after(leftMs, () => cutter.abort(CUT_OFF))
  }

  end(): void {
    this.#cancel()
  }
}

/** When one cell may ask its site. */
export class PhaseGate {
  /** Something that the ledger has to say, or to know, before the next request. */
  pending: Promise<void> | null = null
  /** What others have learned of the site: told when it is read. */
  onWait: (until: Millis) => void = () => {}
  readonly shard: number
  readonly #gates: PhaseGates
  readonly #parts: Pick<PhaseGatesParts, 'ledger' | 'onFailure'>
  readonly #site: Site
  readonly #groups: readonly GroupPace[]
  /** The window that was met last, and what has been done in it. */
  #window = Number.NEGATIVE_INFINITY
  #hasAsked = false
  #isReserved = false
  /** The longest pause that the ledger knows of. */
  #knownMs: Millis = 0

  constructor(
    gates: PhaseGates,
    parts: Pick<PhaseGatesParts, 'ledger' | 'onFailure'>,
    site: Site,
    shard: number,
    groups: readonly GroupPace[],
  ) {
    this.#gates = gates
    this.#parts = parts
    this.#site = site
    this.shard = shard
    this.#groups = groups
  }

  get slowMs(): Millis {
    return this.#gates.slowMs
  }

  get fairMs(): Millis {
    return this.#gates.fairMs
  }

  get signal(): AbortSignal {
    return this.#gates.signal
  }

  /** True while a request may begin, in the window in which its turn was taken. */
  readonly mayBegin = (): boolean => {
    const at = this.#gates.now()
    if (at === null) return false
    const { number, opensAt } = this.#gates.windowOf(this.#site, this.shard, at)
    return number === this.#window && opensAt <= at
  }

  get isShut(): boolean {
    return !this.#gates.isOpen(this.#site, this.shard)
  }

  /** Until the window opens. */
  opensInMs(): Millis {
    const at = this.#gates.now()
    return at === null ? LOOK_MS : Math.max(0, this.#gates.windowOf(this.#site, this.shard, at).opensAt - at)
  }

  /** How long to wait; 0 when there is nothing to wait for but `pending`. */
  waitMs(pause: Pause): Millis {
    const at = this.#gates.now()
    if (at === null) return LOOK_MS
    const window = this.#gates.windowOf(this.#site, this.shard, at)
    if (at < window.opensAt) return window.opensAt - at
    if (this.pending !== null) return 0
    if (window.number !== this.#window) {
      this.#window = window.number
      this.#hasAsked = false
      this.#isReserved = false
      this.pending = this.#settle(this.#learn())
      return 0
    }
    return this.#pauseMs(at, window, pause)
  }

  /** A host's first request after a swap waits its full delay: who asked last, and when, only that one knows. */
  #pauseMs(at: Millis, window: PhaseWindow, pause: Pause): Millis {
    const { slowMs } = this
    const ownMs = Math.max(pause.ownMs, this.#knownMs)
    const from = window.opensAt + Math.min(ownMs, slowMs)
    if (!this.#hasAsked && at < from && this.#gates.waitsAfterSwap) return from - at
    if (ownMs > slowMs && !this.#isReserved) {
      this.#isReserved = true
      this.pending = this.#settle(this.#reserve(window, ownMs, pause.groupMs))
    }
    return 0
  }

  took(): void {
    this.#hasAsked = true
  }

  async #learn(): Promise<void> {
    const groups = [ownTurn(this.#site), ...this.#groups.map(({ id }) => id)]
    const [own, ...shared] = await this.#parts.ledger.waits(groups)
    this.#knownMs = own.delayMs
    this.onWait(own.nextAllowed)
    for (const [i, { nextAllowed }] of shared.entries()) this.#groups[i].postpone(nextAllowed)
  }

  /**
   * A pause that does not fit into a window: before the site is asked the ledger knows until when others must not, however
   * long the request takes.
   */
  async #reserve({ cutAt }: PhaseWindow, ownMs: Millis, groupMs: Millis): Promise<void> {
    const { ledger } = this.#parts
    const rows = [ledger.saveWait(ownTurn(this.#site), cutAt + ownMs, ownMs)]
    if (groupMs > this.slowMs)
      for (const { id } of this.#groups) rows.push(ledger.saveWait(id, cutAt + groupMs, groupMs))
    await Promise.all(rows)
  }

  #settle(task: Promise<void>): Promise<void> {
    const settled = task.catch(this.#parts.onFailure).then(() => {
      if (this.pending === settled) this.pending = null
    })
    return settled
  }
}
