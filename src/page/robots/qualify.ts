/**
 * May this origin be crawled at all, and by which rules? One look at its robots.txt.
 *
 * `strict` is the procedure of the migrating-crawler paper (M11, M12), to the letter but for redirects, which
 * are followed: what cannot be read for certain is no permission (P9). `rfc9309` asks once and takes any 4xx
 * as "no rules".
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
 * `rules`: obey the body. `allow-all`: there are none. `unavailable`: stay away for now. `unreachable`: stay
 * away, and not because of robots.txt: no address of the host could be connected to.
 */
export interface Qualification {
  readonly verdict: 'rules' | 'allow-all' | 'unavailable' | 'unreachable'
  /** For a URL that is not asked for because of this. */
  readonly code: OutcomeCode
  /** Of the last response; 0 when there was none. */
  readonly status: number
  /** One line for people. */
  readonly detail: string
  /** The robots.txt, empty unless the verdict is `rules`. */
  readonly body: Uint8Array
  /** What a 429 or 503 asked for; null when nothing. */
  readonly retryAfterMs: Millis | null
  /** Rounds over all addresses that brought nothing. */
  readonly failedRounds: number
  readonly problems: readonly string[]
  /** All that crossed the wire, for the archive. */
  readonly exchanges: readonly Exchange[]
}

export type Qualified = Qualification | Extract<Asked, { is: 'later' | 'stopped' }>

const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** M12: a site that says these has no robots.txt. */
const NO_RULES = new Set([400, 404, 410])
const EMPTY = new Uint8Array(0)

/** `origin` has no trailing slash. Redirects may leave it: the rules are still those of `origin`. */
export async function qualify(
  origin: string,
  mode: RobotsMode,
  parts: Omit<ProcedureParts, 'everyAddress'>,
  signal: StopSignal,
): Promise<Qualified> {
  const { clock } = parts
  const procedure = new RobotsProcedure({ ...parts, everyAddress: mode === 'strict' }, signal)
  const found = await follow(`${origin}/robots.txt`, mode, procedure, clock.now())
  if ('is' in found) return found
  const { exchanges, problems, failedRounds } = procedure
  const { verdict, code, status, detail, body, retryAfterMs } = found
  return { verdict, code, status, detail, body, retryAfterMs, exchanges, problems, failedRounds }
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
      // An answer that we fail on is no permission (P9).
      procedure.problems.push((error as Error).stack ?? String(error))
      return unavailable(asked.result.exchange?.status ?? 0, `robots.txt could not be read: ${error}`)
    }
  }
}

/** What an answer says, or where it sends us. */
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

/** No status below 500 came. */
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
  // Our own limit ends a long file; RFC 9309 allows that. A server that stops early is another matter.
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
