import { LIMITS, type Millis } from '../../../model/index.js'

/** Whole seconds by the standard; some servers give parts of one. */
const SECONDS = /^\d+(?:\.\d+)?$/
/** The three date forms of HTTP; `Date.parse` alone takes nearly anything with a digit in it. */
const HTTP_DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .* \d\d:\d\d:\d\d(?: gmt| \d{4})$/i

/**
 * How long a Retry-After asks to wait from `now` on, at most `LIMITS.retryAfterMaxMs`; null when it says
 * nothing we understand.
 */
export function retryAfterHeaderMs(value: string | undefined, now: Millis): Millis | null {
  const text = value?.trim() ?? ''
  if (SECONDS.test(text)) return Math.min(Math.ceil(Number(text) * 1000), LIMITS.retryAfterMaxMs)
  if (text.length > 40 || !HTTP_DATE.test(text)) return null
  const at = Date.parse(/gmt$/i.test(text) ? text : `${text} GMT`)
  return Number.isNaN(at) ? null : Math.min(Math.max(at - now, 0), LIMITS.retryAfterMaxMs)
}
