import type { Placement } from './placement.js'

/** A partition and how good it is. */
export interface Outcome {
  readonly parts: Int32Array
  readonly km1: number
  readonly overload: number
}

export function outcomeOf(placement: Placement): Outcome {
  return { parts: placement.parts, km1: placement.km1, overload: placement.overload() }
}

/** Balance first, then the objective. */
export function isBetter(a: Outcome, b: Outcome | null): boolean {
  if (b === null) return true
  if (Math.abs(a.overload - b.overload) > 1e-9) return a.overload < b.overload
  return a.km1 < b.km1
}
