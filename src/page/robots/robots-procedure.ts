/**
 * M11: requests one robots.txt from each address of its host in turn, until one answers with a status below
 * 500. If all fail, once more after two seconds.
 */

import { type Clock, type Exchange, LIMITS, type Millis, type StopSignal, sleep } from '../../model/index.js'
import { hostOf, siteOf } from '../../model/url/index.js'
import type { Fetcher, FetchRequest, FetchResult } from '../fetch/index.js'
import { ROBOTS_PROCEDURE_LEAST_SHARE_MS, ROBOTS_PROCEDURE_PAUSE_MS } from '../limits.js'
import { endAttempt, takeAttempt } from './attempt-signal.js'

const ROUNDS = 2
/** Failed responses kept for the archive; a host may have dozens of addresses. */
const KEPT_EXCHANGES = 16
const KEPT_PROBLEMS = 16

/** Any address. */
const UNKNOWN: readonly (string | undefined)[] = [undefined]

/** The politeness turn for each attempt; all attempts of one procedure on a site count as one request. */
export interface RobotsTurns {
  /** True: send. A time: come back then. Holds no other turn while it waits. */
  before(url: string): true | Promise<true | Millis>
  /** Counts the time and bytes of an attempt like those of a page. */
  after(result: FetchResult): void
}

export interface ProcedureParts {
  readonly fetcher: Pick<Fetcher, 'fetch' | 'resolve'>
  readonly clock: Clock
  readonly turns: RobotsTurns
  /** False: one request, to any address. */
  readonly everyAddress: boolean
  /** True if no server is asked for a URL (`--source`): one attempt shows all that there is. */
  readonly isLocal?: (url: string) => boolean
  /** False while this agent may not send requests; a failure then says nothing about the site. */
  readonly mayAsk?: () => boolean
}

/** `later`: the group's turn was not available. `stopped`: the signal aborted, and nothing was learned. */
export type Asked =
  | { readonly is: 'answered' | 'failed'; readonly result: FetchResult }
  | { readonly is: 'later'; readonly until: Millis }
  | { readonly is: 'stopped' }

/** The attempts for one origin, over all redirects. */
export class RobotsProcedure {
  /** Requests and responses, for the archive. */
  readonly exchanges: Exchange[] = []
  /** One line for each failed attempt. */
  readonly problems: string[] = []
  /** Failed rounds over all addresses. */
  failedRounds = 0
  readonly #parts: ProcedureParts
  readonly #signal: StopSignal
  readonly #until: Millis

  constructor(parts: ProcedureParts, signal: StopSignal) {
    this.#parts = parts
    this.#signal = signal
    this.#until = parts.clock.monotonic() + LIMITS.robotsProcedureMs
  }

  async ask(url: string): Promise<Asked> {
    const { clock, isLocal } = this.#parts
    const everyAddress = this.#parts.everyAddress && !isLocal?.(url)
    let worst: FetchResult | null = null
    for (let round = 0; round < (everyAddress ? ROUNDS : 1); round++) {
      if (round > 0) await sleep(clock, ROBOTS_PROCEDURE_PAUSE_MS, this.#signal)
      const addresses = everyAddress ? await this.#addresses(url) : UNKNOWN
      for (let i = 0; i < addresses.length; i++) {
        const shareMs = this.#shareMs(addresses.length * (everyAddress ? ROUNDS - round : 1) - i)
        const asked = await this.#attempt(url, addresses[i], shareMs)
        if (asked.is !== 'failed') return asked
        if (worst === null || (!worst.exchange && asked.result.exchange)) worst = asked.result
      }
      this.failedRounds++
      // The name has no address, so that another round is useless.
      if (addresses[0] === undefined) break
    }
    return worst === null ? { is: 'stopped' } : { is: 'failed', result: worst }
  }

  /** Resolved again for each round. Without an address, one attempt tells the reason. */
  async #addresses(url: string): Promise<readonly (string | undefined)[]> {
    const found = await this.#parts.fetcher.resolve(hostOf(siteOf(url)))
    if (found.length === 0) return UNKNOWN
    return found.length === 1 ? found : [...new Set(found)]
  }

  /**
   * Divides the remaining time among the attempts to come, so that all are made even if many get no answer.
   */
  #shareMs(attemptsLeft: number): Millis {
    return Math.max(
      (this.#until - this.#parts.clock.monotonic()) / attemptsLeft,
      ROBOTS_PROCEDURE_LEAST_SHARE_MS,
    )
  }

  async #attempt(
    url: string,
    address: string | undefined,
    shareMs: Millis,
  ): Promise<Asked & { result?: FetchResult }> {
    const { turns, mayAsk } = this.#parts
    const signal = this.#signal
    const before = turns.before(url)
    const turn = before === true ? true : await before
    if (signal.aborted) return { is: 'stopped' }
    if (turn !== true) return { is: 'later', until: turn }
    // One byte above the limit shows that a file is too long.
    const request = { url, bodyBytes: LIMITS.robotsBytes + 1, address }
    const result = await this.#within(shareMs, request)
    turns.after(result)
    if (signal.aborted || (!result.exchange && mayAsk?.() === false)) return { is: 'stopped' }
    const status = result.exchange?.status ?? 0
    const decides = status > 0 && status < 500
    if (result.exchange && (decides || this.exchanges.length < KEPT_EXCHANGES))
      this.exchanges.push(result.exchange)
    if (decides) return { is: 'answered', result }
    if (this.problems.length < KEPT_PROBLEMS) this.problems.push(problemOf(url, address, result))
    return { is: 'failed', result }
  }

  async #within(shareMs: Millis, request: FetchRequest): Promise<FetchResult> {
    const { clock, fetcher } = this.#parts
    const attempt = takeAttempt(this.#signal)
    let isOver = false
    const cancel = clock.after(Math.ceil(shareMs), () => {
      isOver = true
      attempt.abort()
    })
    const result = await fetcher.fetch(request, attempt.signal)
    cancel()
    endAttempt(this.#signal, attempt)
    if (!isOver || result.exchange) return result
    return { ok: false, code: 'HEADERS_TOO_SLOW', detail: `no answer in ${Math.ceil(shareMs / 1000)} s` }
  }
}

function problemOf(url: string, address: string | undefined, result: FetchResult): string {
  const where = address === undefined ? url : `${url} at ${address}`
  return result.ok
    ? `${where}: status ${result.exchange.status}`
    : `${where}: ${result.detail} (${result.code})`
}
