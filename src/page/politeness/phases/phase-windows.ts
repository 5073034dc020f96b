/**
 * Who may ask which hosts when (K4, K5). In window k, which lasts one period, shard n is in phase (n + k) mod
 * Nphase, so no two shards are ever in one phase. A window is shorter than its period: it opens a guard after
 * the swap, lets nothing new begin from a while before the next guard on, and cuts off what is still under
 * way when that begins. Who knows its clock to be in doubt keeps as much more at both ends, and what timers
 * are late by at the second: so the guard covers what nobody knows of, in full.
 */
import type { Millis } from '../../../model/index.js'
import type { PhasePlan } from './plan.js'

/** What is under way is cut off by a timer, and those of a busy process come late by as much. */
const TIMER_MS: Millis = 50

export interface PhaseWindow {
  /** Counted from the start of the crawl. */
  readonly number: number
  readonly opensAt: Millis
  /** Nothing begins from here on. */
  readonly lastCallAt: Millis
  /** Nothing is under way from here on. */
  readonly cutAt: Millis
  /** The swap. */
  readonly endsAt: Millis
}

/** The number of the period that ledger time `at` is in. */
export function periodAt({ startMs, periodMs }: PhasePlan, at: Millis): number {
  return Math.floor((at - startMs) / periodMs)
}

export function phaseOfShard({ phases }: PhasePlan, shard: number, period: number): number {
  return modulo(shard + period, phases)
}

/**
 * The window in which a request of that shard to that phase can begin at `at`, or else the next such window.
 */
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
  const cutAt = endsAt - guardMs - doubtMs - TIMER_MS
  return { number, opensAt: swapAt + guardMs + doubtMs, lastCallAt: cutAt - drainMs, cutAt, endsAt }
}

/** What is left of a period for requests to begin in, by a clock without doubt. */
export function usableMs({ periodMs, guardMs, drainMs }: PhasePlan): Millis {
  return periodMs - 2 * guardMs - drainMs - TIMER_MS
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor
}
