/**
 * url -> response.
 *
 * In: a normalised URL, perhaps with what the previous crawl knew of it. Out: one exchange with the exact
 * bytes of the wire, or a failure as a value, with one of the outcome codes and one readable line.
 *
 * Always holds: no fetch outlives its deadlines, however slowly a server drips; no response takes more memory
 * than LIMITS allow, alone or together with the others; no socket is connected to a private or reserved
 * address unless the user said so (P10); never more connections than asked for, in all and per site.
 * Redirects are not followed here.
 *
 * Read on in `http-fetcher.ts`, then `transfer.ts` (one fetch), `connection.ts` (one socket),
 * `response-reader.ts` (bytes to response); `slot-pool.ts` says who may connect, `dialer.ts` where to.
 */
export { addressGuard } from './address-guard.js'
export { CachingResolver } from './caching-resolver.js'
export { confirms, isConditional, unconditional } from './conditional.js'
export { ContentDecoder } from './content-decoder.js'
export type { Fetcher, FetchRequest, FetchResult } from './fetcher.js'
export { HttpFetcher, type HttpFetcherOptions } from './http-fetcher.js'
export { StaticHosts } from './static-hosts.js'
export { isWantedType } from './unwanted-body.js'
