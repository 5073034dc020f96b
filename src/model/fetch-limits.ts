import { LIMITS } from './limits.js'

/** The limits as plain numbers, so that tests can lower them. */
export type FetchLimits = Readonly<Record<keyof typeof LIMITS, number>>

export function fetchLimits(smaller: Partial<FetchLimits> = {}): FetchLimits {
  return { ...LIMITS, ...smaller }
}

/** The most that one read of a socket returns: a body needs so much room before the next read. */
export const READ_BYTES = 64 * 1024
