/**
 * The generated web (M18): a web of any size that nobody stores. In: a seed and a size. Out: its sites, pages
 * and links (`WebPlan`), the URLs a full crawl must find (`truth`), the ranks of its pages (`pagerank`), its
 * bytes without a socket (`WebAnswers`) or over HTTP on loopback (`WebServer`). Always: the same seed gives
 * the same bytes; every page can be reached by links from the seed URL; nothing here looks at a clock or
 * rolls dice of its own.
 */
export { type Authority, addressAuthority, MOST_ADDRESSES, namedAuthority } from './authority.js'
export { latencyOf, type WebKnobs } from './conditions.js'
export { RequestLog } from './request-log.js'
export type { WebCounts } from './tally.js'
export { rankedTruth, seedUrl, truth } from './truth.js'
export { WebPlan } from './web-plan.js'
export { type ServedRequest, WebServer } from './web-server.js'
