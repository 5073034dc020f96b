/**
 * The windows for requests (K4, K5). In window k, one period long, shard n is in phase (n + k) mod Nphase, so
 * that no two shards are ever in the same phase. A window opens one guard after the swap, accepts new
 * requests until a while before the next guard, and aborts requests in flight when that begins. The known
 * error of the clock shortens it at both ends, and the delay of timers at its end, so that the whole guard
 * remains for unknown errors.
 */

import type { Millis } from '../../../model/index.js'
import { PHASE_WINDOWS_TIMER_MS } from '../../limits.js'
import type { PhasePlan } from './plan.js'

export interface PhaseWindow {
  /** Counted from the start of the crawl. */
  readonly number: number
  readonly opensAt: Millis
  /** No request begins after this. */
  readonly lastCallAt: Millis
  /** No request is in flight after this. */
  readonly cutAt: Millis
  /** The swap. */
  readonly endsAt: Millis
}

/** The number of the period at ledger time `at`. */
export function periodAt({ startMs, periodMs }: PhasePlan, at: Millis): number {
  return Math.floor((at - startMs) / periodMs)
}

export function phaseOfShard({ phases }: PhasePlan, shard: number, period: number): number {
  return modulo(shard + period, phases)
}

/** The window in which that shard may send requests to that phase at `at`, or else its next one. */
export function windowFor(
  plan: PhasePlan,
  shard: number,
  phase: number,
  at: Millis,
  doubtMs: Millis,
): PhaseWindow {
  const now = periodAt(plan, at)
  const ahead = modulo(phase - shard - now, plan.phases)
  const window = windowOf(plan, now + ahead, doubtMs)
  return at < window.lastCallAt ? window : windowOf(plan, window.number + plan.phases, doubtMs)
}

export function windowOf(plan: PhasePlan, number: number, doubtMs: Millis): PhaseWindow {
  const { startMs, periodMs, guardMs, drainMs } = plan
  const swapAt = startMs + number * periodMs
  const endsAt = swapAt + periodMs
  const cutAt = endsAt - guardMs - doubtMs - PHASE_WINDOWS_TIMER_MS
  return { number, opensAt: swapAt + guardMs + doubtMs, lastCallAt: cutAt - drainMs, cutAt, endsAt }
}

/** The part of a period in which requests can begin, by an exact clock. */
export function usableMs({ periodMs, guardMs, drainMs }: PhasePlan): Millis {
  return periodMs - 2 * guardMs - drainMs - PHASE_WINDOWS_TIMER_MS
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor
}
