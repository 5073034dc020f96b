/** One look at an origin's robots.txt, judged by RFC 9309: 4xx means no rules, 5xx and silence mean stay away (P9). */
import type { Fetcher } from '../fetch/index.js'
import { LIMITS } from '../model/limits.js'
import type { Exchange } from '../model/page.js'
import { normaliseUrl } from '../model/url.js'

export interface Qualification {
  readonly verdict: 'rules' | 'allow-all' | 'unavailable'
  /** Of the last response; 0 when there was none. */
  readonly status: number
  /** One line for people. */
  readonly detail: string
  /** The robots.txt, empty unless the verdict is `rules`. */
  readonly body: Uint8Array
  /** All that crossed the wire, for the archive. */
  readonly exchanges: readonly Exchange[]
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
const EMPTY = new Uint8Array(0)

/** `origin` has no trailing slash. Redirects may leave it: the rules are still those of `origin`. */
export async function qualify(origin: string, fetcher: Fetcher, signal: AbortSignal): Promise<Qualification> {
  const exchanges: Exchange[] = []
  let url = `${origin}/robots.txt`
  for (let hops = 0; ; hops++) {
    const result = await fetcher.fetch({ url, bodyBytes: LIMITS.robotsBytes }, signal)
    if (result.exchange) exchanges.push(result.exchange)
    if (!result.ok) {
      const status = result.exchange?.status ?? 0
      return unavailable(status, `robots.txt could not be read: ${result.detail} (${result.code})`, exchanges)
    }
    const { status } = result.exchange
    if (!REDIRECTS.has(status)) return judge(result.exchange, exchanges)
    const target = normaliseUrl(result.exchange.header('location') ?? 'no:where', url)
    if (target === null)
      return unavailable(status, `robots.txt answered ${status} without a usable Location`, exchanges)
    if (hops === LIMITS.robotsHops)
      return unavailable(status, `robots.txt redirects more than ${LIMITS.robotsHops} times`, exchanges)
    url = target
  }
}

function judge(exchange: Exchange, exchanges: readonly Exchange[]): Qualification {
  const { status } = exchange
  const detail = `robots.txt answered ${status}`
  // Our own limit ends a long file; RFC 9309 allows that. A server that stops early is another matter.
  if (exchange.truncated !== undefined && exchange.truncated !== 'length')
    return unavailable(status, `${detail}, but its body was cut short`, exchanges)
  if (status >= 200 && status < 300) {
    const body = exchange.body.subarray(0, LIMITS.robotsBytes)
    return { verdict: 'rules', status, detail, body, exchanges }
  }
  if (status >= 400 && status < 500 && status !== 429)
    return { verdict: 'allow-all', status, detail, body: EMPTY, exchanges }
  return unavailable(status, detail, exchanges)
}

function unavailable(status: number, detail: string, exchanges: readonly Exchange[]): Qualification {
  return { verdict: 'unavailable', status, detail, body: EMPTY, exchanges }
}
