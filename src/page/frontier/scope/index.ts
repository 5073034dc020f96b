/**
 * page/frontier/scope/: which URLs belong to the crawl. In: a URL. Out: inside or not, by scope, patterns and
 * blacklist. Always: depends on the URL and the configuration alone.
 */
export { Scope } from './scope.js'
