/**
 * page/fetch/: URL -> response (port Fetcher). In: a URL with its meta-information. Out: head and body,
 * decoded, or an outcome. Always: every buffer has a bound, every wait a deadline, and no request goes to a
 * private address that the user has not allowed.
 */
export type { Fetcher, FetchRequest, FetchResult } from './fetcher.js'
export { HttpFetcher, type HttpFetcherOptions } from './http-fetcher.js'
