/** The outcome of one request: its code, the exchange to keep, and where a redirect leads. */

import { type Exchange, LIMITS, type OutcomeCode, outcomeRule, redirectTarget } from '../../../model/index.js'
import type { FetchResult } from '../../../page/fetch/index.js'

export interface FetchOutcome {
  readonly code: OutcomeCode
  readonly detail: string
  readonly exchange: Exchange | null
  /** Where a redirect leads, normalised; empty otherwise. */
  readonly redirect: string
}

/** `isConditional`: the request named a known version, so 304 is a valid answer. */
export function fetchOutcomeOf(
  result: FetchResult,
  hops: number,
  maxHops: number,
  isConditional: boolean,
): FetchOutcome {
  if (!result.ok)
    return { code: result.code, detail: result.detail, exchange: result.exchange ?? null, redirect: '' }
  const exchange = result.exchange
  const { status } = exchange
  const plain = (code: OutcomeCode, detail: string): FetchOutcome => ({
    code,
    detail,
    exchange,
    redirect: '',
  })
  if (status === 304)
    return isConditional
      ? plain('NOT_MODIFIED', '')
      : plain('REDIRECT_BAD', 'status 304, though nothing was known of the page')
  if (status >= 200 && status < 300) return plain('OK', '')
  if (status >= 300 && status < 400) return redirectOf(exchange, hops, maxHops)
  if (status === 429 || status === 503) return plain('HTTP_BUSY', `status ${status}`)
  if (status >= 500) return plain('HTTP_SERVER_ERROR', `status ${status}`)
  return plain('HTTP_CLIENT_ERROR', `status ${status}`)
}

function redirectOf(exchange: Exchange, hops: number, maxHops: number): FetchOutcome {
  const target = redirectTarget(exchange)
  if (target === null) {
    const isMissing = exchange.header('location') === undefined
    const detail = isMissing ? `status ${exchange.status} without Location` : 'Location is not a web address'
    return { code: 'REDIRECT_BAD', detail, exchange, redirect: '' }
  }
  if (target.length > LIMITS.urlChars) {
    const detail = `Location is longer than ${LIMITS.urlChars} characters`
    return { code: 'REDIRECT_BAD', detail, exchange, redirect: '' }
  }
  if (hops >= maxHops)
    return { code: 'REDIRECT_BAD', detail: `more than ${maxHops} redirects in a row`, exchange, redirect: '' }
  return { code: 'REDIRECT', detail: '', exchange, redirect: target }
}

/** How long to wait before the next try; null after the last. */
export function retryAfterMs(code: OutcomeCode, attempt: number, maxTries: number): number | null {
  const rule = outcomeRule(code)
  if (attempt >= Math.min(rule.tries, maxTries)) return null
  return rule.waitMs * 2 ** (attempt - 1)
}
