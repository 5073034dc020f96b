/** How long a site is left alone that fails: longer with every failure in a row, until it is set aside. */
import { LIMITS, type Millis, type OutcomeRule, type Random } from '../../model/index.js'

/** Spread, so that sites that failed together do not come back together. */
const JITTER = 0.25
const FIRST_MS = 1_000

/**
 * The wait after so many failures in a row, null when the site has to be set aside. What the site asked for
 * (`askedMs`) is kept, and exceeded when that did not help. A site that says it is busy without saying for
 * how long is left alone from the first time on; one error may be one page's fault, so there the wait begins
 * with the second.
 */
export function backOffMs(
  rule: OutcomeRule,
  failures: number,
  askedMs: Millis | null,
  random: Random,
): Millis | null {
  if (rule.strain === 'none') return 0
  if (failures >= LIMITS.siteFailures) return null
  const isToldNothing = rule.strain === 'busy' && askedMs === null
  const firstMs = isToldNothing ? 2 * rule.waitMs : FIRST_MS
  if (failures < 2 && !isToldNothing) return askedMs ?? 0
  const ownMs = Math.round(firstMs * 2 ** (failures - 2) * (1 + JITTER * random.next()))
  return Math.max(askedMs ?? 0, ownMs)
}
