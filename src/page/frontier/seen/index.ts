/**
 * page/frontier/seen/: the URLs a cell has seen, as exact 64-bit fingerprints.
 * In: fingerprints. Out: whether each is new. Always: memory has a bound; the rest is in sorted runs on disk.
 */
export { DepthSet } from './depth-set.js'
export { FingerprintTable } from './fingerprint-table.js'
export { SeenSet } from './seen-set.js'
export { SeenSpace } from './seen-space.js'
