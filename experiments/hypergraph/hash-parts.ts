/** Sites to parts by hash, as crawlers without knowledge do it (H8). */
import { fingerprint, takeFingerprint } from '../../src/model/bytes/index.js'

/** The hash of each site's name; its part is the remainder by K. */
export function siteHashes(sites: number): Uint32Array {
  const hashes = new Uint32Array(sites)
  for (let site = 0; site < sites; site++) {
    takeFingerprint(`site-${site}.test`)
    hashes[site] = fingerprint.low
  }
  return hashes
}

export function hashParts(hashes: Uint32Array, k: number): Int32Array {
  return Int32Array.from(hashes, hash => hash % k)
}
