/**
 * The clock by which phases swap: the ledger's time, kept on this machine by its monotonic clock and measured
 * with every heartbeat. It knows how wrong that may be, and says nothing when it is as much as the guard:
 * then nobody asks anybody. What it knows of narrows its windows (`doubtMs`), so all of the guard is left for
 * what it does not know.
 *
 * A machine that slept, or whose clock was set, shows by its two clocks going apart; a ledger whose time
 * jumped, by a measure that contradicts the last one. After the latter it is silent for as long as a measure
 * may be old: by then everybody has noticed, or has no measure any more.
 */
import type { Millis } from '../../../model/index.js'

/** Clocks of computers run apart by less. */
const DRIFT = 200e-6
/** The ledger tells whole milliseconds. */
const ROUNDING_MS = 1
/** Of its greatest age: a better measure is not kept for longer, so that drift and jumps show. */
const KEPT_SHARE = 1 / 3

export interface PhaseClockParts {
  readonly monotonic: () => Millis
  /** The machine's own wall clock: only its steps are of interest. */
  readonly wall: () => Millis
  readonly guardMs: Millis
  /** A measure that is older says nothing. */
  readonly maxAgeMs: Millis
  /** Only for tests of the guard: this clock is wrong by so much, and does not know. */
  readonly skewMs?: Millis | undefined
}

interface Measure {
  /** Ledger time less monotonic time. */
  readonly offsetMs: Millis
  readonly errorMs: Millis
  readonly at: Millis
  /** Wall time less monotonic time. */
  readonly wallMs: Millis
}

export class PhaseClock {
  readonly #parts: PhaseClockParts
  #measure: Measure | null = null
  #silentUntil: Millis = Number.NEGATIVE_INFINITY

  constructor(parts: PhaseClockParts) {
    this.#parts = parts
  }

  /**
   * The ledger said `now` in answer to what was sent at `sentAt`, of the monotonic clock. False when its time
   * has jumped.
   */
  measured(sentAt: Millis, now: Millis): boolean {
    const { monotonic, wall, maxAgeMs, skewMs = 0 } = this.#parts
    const at = monotonic()
    const halfMs = (at - sentAt) / 2
    const offsetMs = now + skewMs - sentAt - halfMs
    const fresh: Measure = { offsetMs, errorMs: halfMs + ROUNDING_MS, at, wallMs: wall() - at }
    const known = this.#measure
    const agrees =
      known === null || Math.abs(known.offsetMs - fresh.offsetMs) <= this.#errorOf(known, at) + fresh.errorMs
    if (!agrees) this.#silentUntil = at + maxAgeMs
    const isBetter = known === null || fresh.errorMs <= this.#errorOf(known, at)
    if (!agrees || isBetter || at - known!.at > maxAgeMs * KEPT_SHARE || this.#hasStepped(known!))
      this.#measure = fresh
    return agrees
  }

  /** Ledger time; null while nobody knows for certain. */
  now(): Millis | null {
    const measure = this.#measure
    if (measure === null) return null
    const { monotonic, guardMs, maxAgeMs } = this.#parts
    const at = monotonic()
    if (at < this.#silentUntil || at - measure.at > maxAgeMs) return null
    if (this.#errorOf(measure, at) >= guardMs || this.#hasStepped(measure)) return null
    return at + measure.offsetMs
  }

  /** What `now` may be wrong by as far as it knows, and still may be in `aheadMs`. */
  doubtMs(aheadMs: Millis = 0): Millis {
    const measure = this.#measure
    if (measure === null) return Number.POSITIVE_INFINITY
    return this.#errorOf(measure, this.#parts.monotonic() + aheadMs)
  }

  #errorOf({ errorMs, at }: Measure, now: Millis): Millis {
    return errorMs + (now - at) * DRIFT
  }

  /** The two clocks of this machine have gone apart: it slept, or its clock was set. */
  #hasStepped({ wallMs }: Measure): boolean {
    const { wall, monotonic, guardMs } = this.#parts
    return Math.abs(wall() - monotonic() - wallMs) >= guardMs / 2
  }
}
