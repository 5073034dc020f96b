/**
 * page/fetch/dns/: host name -> addresses. In: a name. Out: its addresses, from the user's list, the hosts
 * file, a cache or the resolver. Always: answers are bounded in number and age.
 */
export { CachingResolver } from './caching-resolver.js'
export { OriginResolver } from './origin-resolver.js'
export type { Endpoint, Resolver } from './resolver.js'
export { StaticHosts } from './static-hosts.js'
