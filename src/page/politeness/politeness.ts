/** How long a site is left alone after a request. */
import type { Millis } from '../../model/index.js'

const AUTO_FACTOR = 10
const AUTO_MIN_MS = 1_000
const AUTO_MAX_MS = 30_000

export type Delay = 'auto' | Millis

/** `auto` is ten times the last response time: a slow site is asked less. A Crawl-delay only raises it. */
export function delayAfter(delay: Delay, responseMs: Millis): Millis {
  if (delay !== 'auto') return delay
  return Math.min(Math.max(AUTO_FACTOR * responseMs, AUTO_MIN_MS), AUTO_MAX_MS)
}

/** The longest pause a delay can mean. */
export function longestDelay(delay: Delay): Millis {
  return delay === 'auto' ? AUTO_MAX_MS : delay
}
