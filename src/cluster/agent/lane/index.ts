/**
 * cluster/agent/lane/: what happens to one URL: due, allowed, turn, fetch, parse, pack, route. In: the next
 * URL of a site. Out: its outcome in the open pack, its links on their way. Always: an exception that one
 * page causes is the outcome of that page.
 */
export { Admission } from './admission.js'
export { type Content, NO_CONTENT, unchanged } from './content.js'
export { type CrawledPage, HOOK_NAMES, type Hooks, loadHooks } from './hooks.js'
export { Lane, type LaneSettings } from './lane.js'
export { LanePoliteness } from './lane-politeness.js'
export { rowOf } from './outcome-row.js'
export { isService } from './page-recorder.js'
export { PRODUCT_TOKEN, rulesOfPage } from './page-robots.js'
export { Qualifier } from './qualifier.js'
export { isReadable, ResponseHandler } from './response-handler.js'
export { LinkRows, Router, type WantedLinks } from './router.js'
export { SitemapHandler } from './sitemap-handler.js'
