/** The wait after hand-over (P5). Decided in TypeScript by every backend. */
import type { Millis } from '../../model/index.js'

/**
 * The earliest time of the first request after a hold that ended at `heldUntil` (0: there was none): one
 * delay later, the longer of the crawl's setting and the site's own. Not rounded; a backend that stores the
 * time rounds up.
 */
export function firstAllowed(heldUntil: Millis, ownDelayMs: Millis, delayMs: Millis): Millis {
  return heldUntil === 0 ? 0 : heldUntil + Math.max(ownDelayMs, delayMs)
}
