import { LIMITS } from './limits.js'

/** The bounds as plain numbers, so that a test can bring smaller ones. */
export type FetchLimits = Readonly<Record<keyof typeof LIMITS, number>>

export function fetchLimits(smaller: Partial<FetchLimits> = {}): FetchLimits {
  return { ...LIMITS, ...smaller }
}

/** The most a socket hands over at once, and so what a body must have room for before it reads on. */
export const READ_BYTES = 64 * 1024
