import { LIMITS, type Millis } from '../../../model/index.js'

/** The standard has whole seconds; some servers send fractions. */
const SECONDS = /^\d+(?:\.\d+)?$/
/** The three date formats of HTTP; `Date.parse` alone accepts nearly anything with a digit. */
const HTTP_DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .* \d\d:\d\d:\d\d(?: gmt| \d{4})$/i

/** The wait of a Retry-After from `now` on, at most `LIMITS.retryAfterMaxMs`; null if it cannot be parsed. */
export function retryAfterHeaderMs(value: string | undefined, now: Millis): Millis | null {
  const text = value?.trim() ?? ''
  if (SECONDS.test(text)) return Math.min(Math.ceil(Number(text) * 1000), LIMITS.retryAfterMaxMs)
  if (text.length > 40 || !HTTP_DATE.test(text)) return null
  const at = Date.parse(/gmt$/i.test(text) ? text : `${text} GMT`)
  return Number.isNaN(at) ? null : Math.min(Math.max(at - now, 0), LIMITS.retryAfterMaxMs)
}
