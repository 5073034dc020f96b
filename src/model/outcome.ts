/**
 * Every URL that leaves a queue has one of these codes; the table says what the crawler does about each.
 * `tries` counts all requests; `waitMs` doubles with every try; `dropsSite` drops the site's queue after the
 * last try (a name that does not resolve will not resolve for the next URL either).
 */
import type { Millis } from './clock.js'
import { LIMITS } from './limits.js'
import { TRAP_RULES, type TrapName, type TrapRule } from './trap.js'

/** `stored`: a response was archived. `failed`: no usable response. `refused`: no request was sent. */
type OutcomeKind = 'stored' | 'failed' | 'refused'

export interface OutcomeRule {
  readonly kind: OutcomeKind
  readonly tries: number
  readonly waitMs: Millis
  readonly dropsSite: boolean
  /**
   * The effect on the whole site. `busy`: the site asks for fewer requests. `failing`: several in a row mean
   * that the site has a problem, not the page. Both cause a back-off and finally park the site.
   */
  readonly strain: 'none' | 'busy' | 'failing'
  /** For the summary: what happened, and what the user can do about it. */
  readonly meaning: string
  readonly advice?: string
}

const MINUTE = 60_000
const ONCE = { tries: 1, waitMs: 0, dropsSite: false, strain: 'none' } as const
const stored = (meaning: string): OutcomeRule => ({ kind: 'stored', ...ONCE, meaning })
const refused = (meaning: string, advice?: string): OutcomeRule => ({
  kind: 'refused',
  ...ONCE,
  meaning,
  ...(advice === undefined ? {} : { advice }),
})
const failed = (
  meaning: string,
  tries: number,
  waitMs: Millis,
  dropsSite = false,
  advice?: string,
): OutcomeRule => ({ ...refused(meaning, advice), kind: 'failed', tries, waitMs, dropsSite })

/** Failures that count against the site. */
const failing = (rule: OutcomeRule): OutcomeRule => ({ ...rule, strain: 'failing' })

/** The page was fetched, and is stored as it would be without a guest. */
const guestFailure = (meaning: string, advice?: string): OutcomeRule => ({
  ...stored(meaning),
  ...(advice === undefined ? {} : { advice }),
})

const RULES = {
  OK: stored('fetched'),
  NOT_MODIFIED: stored('not modified since the previous crawl'),
  REDIRECT: stored('redirected; the target was queued if it is in scope'),
  REDIRECT_BAD: stored('redirected without a usable Location'),
  TYPE_NOT_WANTED: refused('content type not asked for', 'widen --types'),
  HTTP_CLIENT_ERROR: stored('the server answered 4xx'),
  HTTP_SERVER_ERROR: failing({ ...stored('the server answered 5xx'), tries: 3, waitMs: 10_000 }),
  HTTP_BUSY: {
    ...stored('the server asked to slow down (429, 503)'),
    tries: 5,
    waitMs: 10_000,
    strain: 'busy',
  },
  DNS_NOT_FOUND: failed('the host name does not exist', 2, 5_000, true, 'check the spelling of the host'),
  DNS_FAILED: failing(
    failed('the name server did not answer', 3, 10_000, true, 'check the network, or give --dns'),
  ),
  ADDRESS_FORBIDDEN: failed(
    'the address is private or reserved',
    1,
    0,
    true,
    'give --allow-private to crawl your own network',
  ),
  CONNECT_REFUSED: failing(failed('connection refused', 3, 5_000, true)),
  CONNECT_TIMEOUT: failing(failed('no answer to the connection', 3, 10_000, true)),
  CONNECT_FAILED: failing(failed('the connection could not be made', 3, 10_000, true)),
  TLS_FAILED: failed(
    'the TLS handshake or certificate failed',
    2,
    10_000,
    true,
    'a site without TLS needs http:// in front',
  ),
  RESET: failing(failed('the server closed the connection', 3, 5_000)),
  HEADERS_TOO_SLOW: failing(failed('no response headers in time', 3, 10_000)),
  HEADERS_TOO_LARGE: failed('response headers too large', 1, 0),
  BAD_RESPONSE: failed('not an HTTP response', 2, 5_000),
  BODY_TOO_SLOW: failing(failed('the body did not end in time', 2, MINUTE)),
  BODY_CUT: failed('the body is shorter than announced', 3, 5_000),
  BAD_ENCODING: failed('the body could not be decoded', 1, 0),
  NOT_ARCHIVED: failed('the archive named with --source has no capture of it', 1, 0),
  SOURCE_FAILED: failed('the file or archive named with --source could not be read', 1, 0),
  ROBOTS_DISALLOWED: refused('robots.txt forbids it'),
  ROBOTS_UNAVAILABLE: refused('robots.txt could not be read, so the site is not touched'),
  ROBOTS_GIVEN_UP: refused('robots.txt could not be read in many tries, so the site was given up'),
  CRAWL_DELAY_TOO_LONG: refused(
    'robots.txt asks for a longer Crawl-delay than --max-crawl-delay',
    'raise --max-crawl-delay',
  ),
  SITE_DROPPED: refused('the site was given up after repeated failures'),
  TOO_DEEP: refused('deeper than --max-depth', 'raise --max-depth'),
  SITE_PAGE_LIMIT: refused(
    'not fetched, because its site has --max-pages-per-site pages',
    'raise --max-pages-per-site',
  ),
  URL_TOO_LONG: refused(`links of more than ${LIMITS.urlChars} characters`),
  SITEMAP: stored('read as a sitemap'),
  SITEMAP_BAD: stored('declared as a sitemap, but not one'),
  PROBE: stored('request for an impossible page, to learn the answer of the site'),
  BLACKLISTED: refused('the host is blacklisted', 'see orbweaver set DIR blacklist=…'),
  INTERNAL_ERROR: failed(
    'an exception in Orbweaver, which is a bug',
    1,
    0,
    false,
    'crawl.log has the stack; please report it',
  ),
  GUEST_THREW: guestFailure('the guest threw an exception', 'crawl.log has the stack'),
  GUEST_TIMEOUT: guestFailure('the guest took too long for the page'),
  GUEST_MEMORY: guestFailure('the guest used too much memory for the page'),
  GUEST_OUTPUT: guestFailure(
    'the guest returned something that it may not return',
    'crawl.log says what was wrong',
  ),
  GUEST_CRASHED: guestFailure('the sandbox of the guest ended', 'crawl.log says how'),
} satisfies Readonly<Record<string, OutcomeRule>>

export type OutcomeCode = keyof typeof RULES | `TRAP:${TrapName}`

export function outcomeRule(code: OutcomeCode): OutcomeRule {
  return code.startsWith('TRAP:') ? trapOutcome(code.slice(5)) : RULES[code as keyof typeof RULES]
}

/** All codes of a kind, without those of trap rules. */
export function codesOf(kind: OutcomeKind): OutcomeCode[] {
  return (Object.keys(RULES) as (keyof typeof RULES)[]).filter(code => RULES[code].kind === kind)
}

/** Pages count for `--max-pages` and in the report; robots.txt, redirects and errors do not. */
export const PAGE_CODES = [
  'OK',
  'NOT_MODIFIED',
  'GUEST_THREW',
  'GUEST_TIMEOUT',
  'GUEST_MEMORY',
  'GUEST_OUTPUT',
  'GUEST_CRASHED',
] as const satisfies readonly OutcomeCode[]

export type GuestFailureCode = Extract<(typeof PAGE_CODES)[number], `GUEST_${string}`>

const PAGES: ReadonlySet<string> = new Set(PAGE_CODES)

export function isPage(code: OutcomeCode): boolean {
  return PAGES.has(code)
}

/** Outcomes that no user has to act on. */
const NO_TROUBLE: ReadonlySet<OutcomeCode> = new Set<OutcomeCode>([
  'OK',
  'NOT_MODIFIED',
  'REDIRECT',
  'SITEMAP',
  'PROBE',
  // The link was followed, only without its session id.
  'TRAP:session-ids',
])

/** Whether a URL with this outcome failed or was refused. */
export function isTrouble(code: OutcomeCode): boolean {
  return !NO_TROUBLE.has(code)
}

function trapOutcome(name: string): OutcomeRule {
  if (!Object.hasOwn(TRAP_RULES, name)) return refused(`${name}: beyond the limits of a site`)
  return refused(`trap: ${TRAP_RULES[name as TrapRule]}`, `--traps no-${name} follows them`)
}
