/**
 * cluster/agent/lane/: what happens to one URL: due, allowed, turn, fetch, parse, route, pack. In: the next
 * URL of a site. Out: its outcome and its links, in the open pack. Always: an exception that one page causes
 * is the outcome of that page.
 */
export { Admission } from './admission.js'
export { type Content, NO_CONTENT, PRODUCT_TOKEN, rulesOfPage, unchanged } from './content.js'
export type { CrawledPage, ReadPage } from './crawled-page.js'
export type { EnvoyAgent, EnvoyAnswer, Envoys } from './envoys.js'
export { Lane } from './lane.js'
export { LanePoliteness, type LaneSettings } from './lane-politeness.js'
export { rowOf } from './outcome-row.js'
export { type JudgedVisit, judgedPage } from './page-judge.js'
export { isService, PageRecorder } from './page-recorder.js'
export { PageRequests } from './page-requests.js'
export { Qualifier } from './qualifier.js'
export { isReadable, ResponseHandler } from './response-handler.js'
export { RobotsArchive } from './robots-archive.js'
export { LinkRows, Router, type WantedLinks } from './router.js'
export { SitemapHandler } from './sitemap-handler.js'
export { UrlRules } from './url-rules.js'
