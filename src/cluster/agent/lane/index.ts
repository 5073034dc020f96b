/**
 * cluster/agent/lane/: what happens to one URL: due, allowed, turn, fetch, parse, pack, route.
 * In: the next URL of a site. Out: its outcome in the open pack, its links on their way. Always: an exception that one page causes is the outcome of that page.
 */
export { Admission } from './admission.js'
export { type Content, NO_CONTENT, unchanged } from './content.js'
export { type CrawledPage, HOOK_NAMES, type Hooks, loadHooks } from './hooks.js'
export { Lane, type LaneSettings } from './lane.js'
export { LaneManners } from './lane-manners.js'
export { rowOf } from './outcome-row.js'
export { isService } from './page-keeper.js'
export { PRODUCT_TOKEN, rulesOfPage } from './page-robots.js'
export { Qualifier } from './qualifier.js'
export { LinkRows, Router, type WantedLinks } from './router.js'
export { isReadable, Settler } from './settler.js'
export { SitemapDesk } from './sitemap-desk.js'
