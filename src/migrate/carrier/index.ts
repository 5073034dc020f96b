/**
 * migrate/carrier/: the way of bundles and parts between a home and a host (port Carrier). In: a bundle. Out:
 * progress and parts, as bytes that nobody has judged yet. Always: every answer has a bound and a deadline.
 */
export type { Carrier } from './carrier.js'
export { HttpCarrier } from './http-carrier.js'
