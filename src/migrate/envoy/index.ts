/**
 * migrate/envoy/: tours in an agent (port Envoys of the lane). In: a leased site whose owner runs a host.
 * Out: for each of its URLs the response that the host has brought, or the word that its server has to be
 * asked. Always: while a host may read the site, this agent sends it no request; the frontier, the rules, the
 * rows and the links are those of any other site.
 */
export { SiteEnvoys, type SiteEnvoysParts } from './site-envoys.js'
