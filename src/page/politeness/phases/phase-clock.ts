/**
 * The clock for phase swaps: ledger time, kept by the monotonic clock and measured with every heartbeat. It
 * knows its possible error, and returns null if that reaches the guard, so that no requests are sent. The
 * known error narrows the windows (`doubtMs`), so the guard remains for errors it does not know.
 *
 * A suspended machine, or a changed clock, shows as a difference between its two clocks; a jump of the
 * ledger's time, as a measurement that contradicts the last one. After a jump the clock returns null for as
 * long as a measurement is valid: by then all agents have noticed the jump or have no valid measurement.
 */

import type { Millis } from '../../../model/index.js'
import { PHASE_CLOCK_ROUNDING_MS } from '../../limits.js'

/** Upper bound of the drift between two computers' clocks. */
const DRIFT = 200e-6
/**
 * Part of the maximum age after which even a better measurement is replaced, so that drift and jumps show.
 */
const KEPT_SHARE = 1 / 3

export interface PhaseClockParts {
  readonly monotonic: () => Millis
  /** The machine's wall clock, of which only jumps matter. */
  readonly wall: () => Millis
  readonly guardMs: Millis
  /** Older measurements are not used. */
  readonly maxAgeMs: Millis
  /** Only for tests of the guard: an error that this clock does not know. */
  readonly skewMs?: Millis | undefined
}

interface Measure {
  /** Ledger time minus monotonic time. */
  readonly offsetMs: Millis
  readonly errorMs: Millis
  readonly at: Millis
  /** Wall time minus monotonic time. */
  readonly wallMs: Millis
}

export class PhaseClock {
  readonly #parts: PhaseClockParts
  #measure: Measure | null = null
  #silentUntil: Millis = Number.NEGATIVE_INFINITY

  constructor(parts: PhaseClockParts) {
    this.#parts = parts
  }

  /** The ledger answered `now` to a request sent at monotonic time `sentAt`. False if its time has jumped. */
  measured(sentAt: Millis, now: Millis): boolean {
    const { monotonic, wall, maxAgeMs, skewMs = 0 } = this.#parts
    const at = monotonic()
    const halfMs = (at - sentAt) / 2
    const offsetMs = now + skewMs - sentAt - halfMs
    const fresh: Measure = { offsetMs, errorMs: halfMs + PHASE_CLOCK_ROUNDING_MS, at, wallMs: wall() - at }
    const known = this.#measure
    const agrees =
      known === null || Math.abs(known.offsetMs - fresh.offsetMs) <= this.#errorOf(known, at) + fresh.errorMs
    if (!agrees) this.#silentUntil = at + maxAgeMs
    const isBetter = known === null || fresh.errorMs <= this.#errorOf(known, at)
    if (!agrees || isBetter || at - known!.at > maxAgeMs * KEPT_SHARE || this.#hasStepped(known!))
      this.#measure = fresh
    return agrees
  }

  /** Ledger time; null while it is not known for certain. */
  now(): Millis | null {
    const measure = this.#measure
    if (measure === null) return null
    const { monotonic, guardMs, maxAgeMs } = this.#parts
    const at = monotonic()
    if (at < this.#silentUntil || at - measure.at > maxAgeMs) return null
    if (this.#errorOf(measure, at) >= guardMs || this.#hasStepped(measure)) return null
    return at + measure.offsetMs
  }

  /** The known error of `now`, extrapolated by `aheadMs`. */
  doubtMs(aheadMs: Millis = 0): Millis {
    const measure = this.#measure
    if (measure === null) return Number.POSITIVE_INFINITY
    return this.#errorOf(measure, this.#parts.monotonic() + aheadMs)
  }

  #errorOf({ errorMs, at }: Measure, now: Millis): Millis {
    return errorMs + (now - at) * DRIFT
  }

  /** The machine's clocks have diverged: it was suspended, or its clock was set. */
  #hasStepped({ wallMs }: Measure): boolean {
    const { wall, monotonic, guardMs } = this.#parts
    return Math.abs(wall() - monotonic() - wallMs) >= guardMs / 2
  }
}
