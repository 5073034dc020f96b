/**
 * Decides by robots.txt whether an origin may be crawled, and by which rules.
 *
 * `strict` is the procedure of the migrating-crawler paper (M11, M12), except that redirects are followed:
 * without a certain answer the origin is not crawled (P9). `rfc9309` requests once and treats any 4xx as "no
 * rules".
 */

import {
  type Exchange,
  LIMITS,
  type Millis,
  type OutcomeCode,
  outcomeRule,
  redirectTarget,
  type StopSignal,
} from '../../model/index.js'
import { retryAfterHeaderMs } from '../fetch/http/index.js'
import type { FetchResult } from '../fetch/index.js'
import { looksBinary } from './robots-bytes.js'
import { type Asked, type ProcedureParts, RobotsProcedure } from './robots-procedure.js'

export type RobotsMode = 'strict' | 'rfc9309'

/**
 * `rules`: obey the body. `allow-all`: there are no rules. `unavailable`: do not crawl for now.
 * `unreachable`: do not crawl, because no address of the host accepts a connection.
 */
export interface Qualification {
  readonly verdict: 'rules' | 'allow-all' | 'unavailable' | 'unreachable'
  /** The outcome of URLs that are not requested because of this verdict. */
  readonly code: OutcomeCode
  /** The status of the last response; 0 without a response. */
  readonly status: number
  /** The reason, for display. */
  readonly detail: string
  /** The robots.txt, empty unless the verdict is `rules`. */
  readonly body: Uint8Array
  /** The wait that a 429 or 503 asked for. */
  readonly retryAfterMs: Millis | null
  /** Failed rounds over all addresses. */
  readonly failedRounds: number
  readonly problems: readonly string[]
  /** All requests and responses, for the archive. */
  readonly exchanges: readonly Exchange[]
}

export type Qualified = Qualification | Extract<Asked, { is: 'later' | 'stopped' }>

const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** M12: with these statuses a site has no robots.txt. */
const NO_RULES = new Set([400, 404, 410])
const EMPTY = new Uint8Array(0)

/** `origin` has no trailing slash. If redirects leave it, the rules are still those of `origin`. */
export async function qualify(
  origin: string,
  mode: RobotsMode,
  parts: Omit<ProcedureParts, 'everyAddress'>,
  signal: StopSignal,
): Promise<Qualified> {
  const { clock } = parts
  const procedure = new RobotsProcedure({ ...parts, everyAddress: mode === 'strict' }, signal)
  const found = await follow(robotsUrl(origin), mode, procedure, clock.now())
  if ('is' in found) return found
  const { exchanges, problems, failedRounds } = procedure
  const { verdict, code, status, detail, body, retryAfterMs } = found
  return { verdict, code, status, detail, body, retryAfterMs, exchanges, problems, failedRounds }
}

export function robotsUrl(origin: string): string {
  return `${origin}/robots.txt`
}

type Answered = Exclude<Asked, { is: 'later' | 'stopped' }>
type Found = Omit<Qualification, 'exchanges' | 'problems' | 'failedRounds'>

async function follow(
  start: string,
  mode: RobotsMode,
  procedure: RobotsProcedure,
  now: Millis,
): Promise<Found | Extract<Asked, { is: 'later' | 'stopped' }>> {
  let url = start
  for (let hops = 0; ; hops++) {
    const asked = await procedure.ask(url)
    if (asked.is === 'later' || asked.is === 'stopped') return asked
    try {
      const found = read(asked, hops, mode, now)
      if (typeof found !== 'string') return found
      url = found
    } catch (error) {
      // A response that we fail to read gives no permission (P9).
      procedure.problems.push((error as Error).stack ?? String(error))
      return unavailable(asked.result.exchange?.status ?? 0, `robots.txt could not be read: ${error}`)
    }
  }
}

/** The verdict of an answer, or the URL to which it redirects. */
function read(asked: Answered, hops: number, mode: RobotsMode, now: Millis): Found | string {
  const { result } = asked
  if (asked.is === 'failed') return failed(result, hops, now)
  const exchange = result.exchange as Exchange
  if (!REDIRECTS.has(exchange.status)) return judge(result, exchange, mode, now)
  const { status } = exchange
  const target = redirectTarget(exchange)
  if (target === null) return unavailable(status, `robots.txt answered ${status} without a usable Location`)
  if (hops === LIMITS.robotsHops)
    return unavailable(status, `robots.txt redirects more than ${LIMITS.robotsHops} times`)
  return target
}

/** No response with a status below 500 came. */
function failed(result: FetchResult, hops: number, now: Millis): Found {
  if (result.exchange) {
    const { status } = result.exchange
    return unavailable(status, `robots.txt answered ${status}`, waitOf(result.exchange, now))
  }
  const code = result.ok ? 'BAD_RESPONSE' : result.code
  const detail = result.ok ? '' : result.detail
  if (hops === 0 && outcomeRule(code).dropsSite)
    return { verdict: 'unreachable', code, status: 0, detail, body: EMPTY, retryAfterMs: null }
  return unavailable(0, `robots.txt could not be read: ${detail} (${code})`)
}

/** M12, for a status below 500. */
function judge(result: FetchResult, exchange: Exchange, mode: RobotsMode, now: Millis): Found {
  const { status } = exchange
  const said = `robots.txt answered ${status}`
  if (status >= 200 && status < 300) return judgeBody(result, exchange, said)
  const hasNone = mode === 'strict' ? NO_RULES.has(status) : status >= 400
  return hasNone ? noRules(status, said) : unavailable(status, said, waitOf(exchange, now))
}

function judgeBody(result: FetchResult, exchange: Exchange, said: string): Found {
  const { status, truncated, body } = exchange
  // RFC 9309 allows our own limit to end a long file; a server that stops early is a failure.
  if (truncated !== undefined && truncated !== 'length')
    return unavailable(status, `${said}, but its body was cut short`)
  if (!result.ok) return noRules(status, `${said}, but it could not be decoded: ${result.detail}`)
  if (looksBinary(body)) return noRules(status, `${said}, but it is not text`)
  return { verdict: 'rules', code: 'ROBOTS_DISALLOWED', status, detail: said, body, retryAfterMs: null }
}

function noRules(status: number, detail: string): Found {
  return { verdict: 'allow-all', code: 'OK', status, detail, body: EMPTY, retryAfterMs: null }
}

function unavailable(status: number, detail: string, retryAfterMs: Millis | null = null): Found {
  return { verdict: 'unavailable', code: 'ROBOTS_UNAVAILABLE', status, detail, body: EMPTY, retryAfterMs }
}

function waitOf(exchange: Exchange, now: Millis): Millis | null {
  const { status } = exchange
  return status === 429 || status === 503 ? retryAfterHeaderMs(exchange.header('retry-after'), now) : null
}
