/**
 * page/robots/: may this URL be requested? In: the origin's robots.txt. Out: a verdict for each URL,
 * Crawl-delay, sitemaps. Always: robots.txt is obeyed, or the site is not crawled.
 */
export { NO_PAGE_RULES, type PageRules, pageRules } from './page-rules.js'
export { type Qualification, qualify, type RobotsMode, robotsUrl } from './qualify.js'
export { looksBinary } from './robots-bytes.js'
export type { ProcedureParts, RobotsTurns } from './robots-procedure.js'
export { RobotsRules, type RobotsVerdict } from './robots-rules.js'
