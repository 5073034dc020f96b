/** How long a failing site is left alone: longer with every failure in a row, until it is parked. */
import { LIMITS, type Millis, type OutcomeRule, type Random } from '../../model/index.js'

/** Random extra wait, so that sites that failed together do not return together. */
const JITTER = 0.25
const FIRST_MS = 1_000

/**
 * The wait after so many failures in a row; null if the site has to be parked. The wait that the site asked
 * for (`askedMs`) is a minimum. Without one, a busy site is left alone from its first failure on. Other
 * failures may concern a single page, so there the wait begins with the second.
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
