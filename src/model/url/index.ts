/**
 * model/url/: URLs, their escapes and patterns, and names inside a crawl directory.
 * In: text from a page, a user or a server. Out: one normalised spelling of each URL.
 */
export { isInsideName } from './inside-name.js'
export { type PostgresPlace, readPostgresUrl } from './postgres-url.js'
export {
  hostOf,
  LinkResolver,
  normaliseUrl,
  originOf,
  parseUrl,
  pathStart,
  registrableDomain,
  type Site,
  schemeOf,
  siteOf,
  targetOf,
  withoutWww,
} from './url.js'
export { isUnreserved, normaliseEscapes } from './url-escapes.js'
export { compilePattern } from './url-pattern.js'
