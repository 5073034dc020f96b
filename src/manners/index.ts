/**
 * May I, and when.
 *
 * In: the bytes of a robots.txt, response times and headers, the limits the user set. Out: allowed or not with the line
 * that decided, how long to wait, and when it is this page's turn.
 *
 * Always holds: a robots.txt that could not be read never counts as permission (P9); whatever stands in one, it is
 * parsed in time linear in its length, and a URL is matched without backtracking; a waiter that is aborted takes
 * nothing from those behind it.
 */
export { backOffMs } from './back-off.js'
export { NO_PAGE_RULES, type PageRules, pageRules } from './page-rules.js'
export { type Delay, delayAfter, longestDelay, retryAfterHeaderMs } from './politeness.js'
export { type Qualification, qualify, type RobotsMode } from './qualify.js'
export { RateLimit } from './rate-limit.js'
export type { ProcedureParts, RobotsTurns } from './robots-procedure.js'
export { RobotsRules } from './robots-rules.js'
export { readSitemap, unpackSitemap } from './sitemaps/read-sitemap.js'
