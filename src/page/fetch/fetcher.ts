import type { Exchange, MetaInfo, OutcomeCode, StopSignal } from '../../model/index.js'

/**
 * What is absent may be written as undefined: requests made in one place then all have one shape, which is
 * quick to read.
 */
export interface FetchRequest {
  /** Normalised URL. Redirects are not followed: they come back as an exchange with its Location. */
  readonly url: string
  /** Makes the request conditional. */
  readonly known?: MetaInfo | undefined
  /**
   * Lower-case type prefixes (`text/html`, `image/`) worth a body; everything when absent. Judged by the
   * headers (D7).
   */
  readonly types?: readonly string[] | undefined
  /** Only this address of the host (M11 asks each one in turn); all of them, in order, when absent. */
  readonly address?: string | undefined
  /** Another bound on the body than the general one: robots.txt and sitemaps have their own. */
  readonly bodyBytes?: number | undefined
  /**
   * Asked just before the request is written, which may be long after it was made: connections are few, and a
   * process can be stopped at any moment. False, and nothing is written; the result is `RESET`.
   */
  readonly mayBegin?: (() => boolean) | undefined
  /**
   * The body counts as in flight until its exchange is `settled`, and others wait for that: for a caller that
   * may have to wait itself before it can do something with it. Otherwise it counts until it is here.
   */
  readonly holdsBody?: boolean | undefined
}

type FetchFailure = {
  readonly ok: false
  readonly code: OutcomeCode
  readonly detail: string
  readonly exchange?: Exchange
  /** With `INTERNAL_ERROR`: what our own code threw. */
  readonly error?: unknown
}

/**
 * Expected outcomes are values: a fetch never throws for what a server or the network did. TYPE_NOT_WANTED is
 * not an error, and brings the exchange without its body. A 304 is an ordinary `ok` exchange.
 */
export type FetchResult = { readonly ok: true; readonly exchange: Exchange } | FetchFailure

/** Port: one request, one response, bounded in bytes and time. */
export interface Fetcher {
  /** `signal` aborts at the end of a lease or of the process; the result is then `RESET`. */
  fetch(request: FetchRequest, signal: StopSignal): Promise<FetchResult>
  /**
   * All addresses of a host, guarded; for robots and for groups by address. Empty when there is none to go
   * to.
   */
  resolve(host: string): Promise<readonly string[]>
  /** Changes the number of connections in all and per site while running (M15). */
  setConnections(total: number, perSite: number): void
  close(): Promise<void>
}
