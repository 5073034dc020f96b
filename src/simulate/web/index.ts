/**
 * simulate/web/: the generated web (M18), of any size, which nobody stores. In: a seed and a size. Out: its
 * sites, pages and links (`WebPlan`), the URLs that a full crawl must find (`truth`), PageRanks, and its
 * answers over HTTP on loopback (`WebServer`). Always: the same seed gives the same bytes; all pages can be
 * reached from the seed URL.
 */
export { type Authority, addressAuthority, MOST_ADDRESSES, namedAuthority } from './authority.js'
export { latencyOf, type WebKnobs } from './conditions.js'
export { RequestLog } from './request-log.js'
export type { WebCounts } from './tally.js'
export { rankedTruth, seedUrl, truth } from './truth.js'
export { WebPlan } from './web-plan.js'
export { type ServedRequest, WebServer } from './web-server.js'
