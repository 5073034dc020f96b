/**
 * page/frontier/traps/: refuses URLs that lead nowhere. In: a URL and what is known of its site. Out: the
 * trap rule that refuses it, or none. Always: memory per site has a bound.
 */
export { HostNames } from './host-names.js'
export { withoutSessionId } from './session-ids.js'
export { SiteTraps } from './site-traps.js'
