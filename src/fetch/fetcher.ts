import type { OutcomeCode } from '../model/outcome.js'
import type { Exchange, MetaInfo } from '../model/page.js'

export interface FetchRequest {
  /** Normalised URL. Redirects are not followed: they come back as an exchange with its Location. */
  readonly url: string
  /** Makes the request conditional. */
  readonly known?: MetaInfo
  /** Lower-case type prefixes (`text/html`, `image/`) worth a body; everything when absent. Judged by the headers (D7). */
  readonly types?: readonly string[]
}

export type FetchFailure = {
  readonly ok: false
  readonly code: OutcomeCode
  readonly detail: string
  readonly exchange?: Exchange
}

/** Expected outcomes are values: a fetch never throws for what a server or the network did. */
export type FetchResult = { readonly ok: true; readonly exchange: Exchange } | FetchFailure

/** Port: one request, one response, bounded in bytes and time. */
export interface Fetcher {
  /** `signal` aborts at the end of a lease or of the process; the result is then `RESET`. */
  fetch(request: FetchRequest, signal: AbortSignal): Promise<FetchResult>
  /** All addresses of a host, guarded; for robots and for groups by address. */
  resolve(host: string): Promise<readonly string[]>
  /** Changes the number of connections in all and per site while running (M15). */
  setConnections(total: number, perSite: number): void
  close(): Promise<void>
}
