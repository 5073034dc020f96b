/**
 * page/source/local/: what the sources without a server share. In: a request, and a reader of stored
 * responses. Out: the response within its bounds of bytes and time. Always: the thread stays responsive, and
 * a body counts as in flight until it is settled.
 */
export { BodyClaim } from './body-claim.js'
export { LocalExchange } from './local-exchange.js'
export { LocalFetcher, type LocalReader } from './local-fetcher.js'
export { ReadPace } from './read-pace.js'
