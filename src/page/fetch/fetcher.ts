import type { Exchange, MetaInfo, OutcomeCode, StopSignal } from '../../model/index.js'

/** Optional fields may be undefined, so that all requests of a caller can have the same hidden class. */
export interface FetchRequest {
  /** Normalised. Redirects are not followed: they come back as an exchange with its Location. */
  readonly url: string
  /** Makes the request conditional. */
  readonly known?: MetaInfo | undefined
  /**
   * Lower-case prefixes (`text/html`, `image/`) of wanted types, judged by the headers (D7); default: all.
   */
  readonly types?: readonly string[] | undefined
  /** Only this address of the host (M11 requests from each in turn); default: all, in order. */
  readonly address?: string | undefined
  /** Limit of the body; robots.txt and sitemaps have their own. */
  readonly bodyBytes?: number | undefined
  /**
   * Called just before the request is written, possibly long after it was made. If it returns false, nothing
   * is written, and the result is `RESET`.
   */
  readonly mayBegin?: (() => boolean) | undefined
  /**
   * The body counts as in flight until its exchange is `settled`, for callers that may have to wait before
   * they handle it. By default it counts until it is complete.
   */
  readonly holdsBody?: boolean | undefined
}

type FetchFailure = {
  readonly ok: false
  readonly code: OutcomeCode
  readonly detail: string
  readonly exchange?: Exchange
  /** The exception, with `INTERNAL_ERROR`. */
  readonly error?: unknown
}

/**
 * A fetch never throws for what a server or the network does. TYPE_NOT_WANTED is not an error; its exchange
 * has no body. A 304 is an `ok` exchange.
 */
export type FetchResult = { readonly ok: true; readonly exchange: Exchange } | FetchFailure

/** Port: one request, one response, bounded in bytes and time. */
export interface Fetcher {
  /** `signal` aborts at the end of a lease or of the process; the result is then `RESET`. */
  fetch(request: FetchRequest, signal: StopSignal): Promise<FetchResult>
  /** The allowed addresses of a host, for robots and for groups by address. */
  resolve(host: string): Promise<readonly string[]>
  /** Changes the connection limits while running (M15). */
  setConnections(total: number, perSite: number): void
  close(): Promise<void>
}
