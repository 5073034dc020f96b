import type { OutcomeCode, TrapName } from '../../model/index.js'

/** Numbers of outcome codes in stored journals: never change or reuse one. Code 0 is written as text. */
const NUMBERS: Readonly<Record<Exclude<OutcomeCode, `TRAP:${TrapName}`>, number>> = {
  OK: 1,
  NOT_MODIFIED: 2,
  REDIRECT: 3,
  REDIRECT_BAD: 4,
  TYPE_NOT_WANTED: 5,
  HTTP_CLIENT_ERROR: 6,
  HTTP_SERVER_ERROR: 7,
  HTTP_BUSY: 8,
  DNS_NOT_FOUND: 9,
  DNS_FAILED: 10,
  ADDRESS_FORBIDDEN: 11,
  CONNECT_REFUSED: 12,
  CONNECT_TIMEOUT: 13,
  CONNECT_FAILED: 14,
  TLS_FAILED: 15,
  RESET: 16,
  HEADERS_TOO_SLOW: 17,
  HEADERS_TOO_LARGE: 18,
  BAD_RESPONSE: 19,
  BODY_TOO_SLOW: 20,
  BODY_CUT: 21,
  BAD_ENCODING: 22,
  ROBOTS_DISALLOWED: 23,
  ROBOTS_UNAVAILABLE: 24,
  SITE_DROPPED: 25,
  TOO_DEEP: 26,
  URL_TOO_LONG: 27,
  ROBOTS_GIVEN_UP: 28,
  CRAWL_DELAY_TOO_LONG: 29,
  SITEMAP: 40,
  SITEMAP_BAD: 41,
  PROBE: 42,
  BLACKLISTED: 43,
  INTERNAL_ERROR: 44,
  // 45 was never written to a journal.
  GUEST_THREW: 46,
  GUEST_TIMEOUT: 47,
  GUEST_MEMORY: 48,
  GUEST_OUTPUT: 49,
  GUEST_CRASHED: 51,
  NOT_ARCHIVED: 52,
  SOURCE_FAILED: 53,
  SITE_PAGE_LIMIT: 50,
}
const CODES = new Map(Object.entries(NUMBERS).map(([code, number]) => [number, code as OutcomeCode]))

export const SPELLED_OUT = 0

export function numberOfOutcome(code: OutcomeCode): number {
  return NUMBERS[code as keyof typeof NUMBERS] ?? SPELLED_OUT
}

export function outcomeOfNumber(number: number): OutcomeCode {
  const code = CODES.get(number)
  if (code === undefined) throw new RangeError(`no outcome has the number ${number}`)
  return code
}
