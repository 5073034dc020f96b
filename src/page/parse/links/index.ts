/**
 * page/parse/links/: links and facts of a page. In: elements and their attributes, from the scanner or the
 * full parser. Out: the facts, and the distinct links as normalised URLs. Always: a page has a bounded number
 * of links.
 */
export { Findings } from './findings.js'
export { pageBase } from './page-base.js'
export { PendingLinks } from './pending-links.js'
export { refreshTarget } from './refresh.js'
export { Rel, relFlags } from './rel.js'
