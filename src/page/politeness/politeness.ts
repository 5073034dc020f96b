/** The delay between two requests to a site. */

import type { Millis } from '../../model/index.js'
import { AUTO_MAX_MS, AUTO_MIN_MS } from '../limits.js'

const AUTO_FACTOR = 10

export type Delay = 'auto' | Millis

/** `auto` is ten times the last response time, to relieve slow sites. A Crawl-delay only raises it. */
export function delayAfter(delay: Delay, responseMs: Millis): Millis {
  if (delay !== 'auto') return delay
  return Math.min(Math.max(AUTO_FACTOR * responseMs, AUTO_MIN_MS), AUTO_MAX_MS)
}

/** The longest pause that a delay can mean. */
export function longestDelay(delay: Delay): Millis {
  return delay === 'auto' ? AUTO_MAX_MS : delay
}
