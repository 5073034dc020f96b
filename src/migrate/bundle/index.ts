/**
 * migrate/bundle/: what travels between a home and a host, as bytes. In: a manifest and sections. Out: a
 * signed container (`.owb` to the host, `.owr` back), and what a container says. Always: signature, hashes
 * and sizes are checked before a section is inflated, and a container with one wrong bit is refused.
 */
export { type Bundle, type BundleManifest, openBundle, sealBundle } from './bundle.js'
export {
  isPublicKey,
  newKeyPair,
  readPrivateKey,
  signText,
  verifyText,
} from './keys.js'
export { openPart, type ReturnPartManifest, sealPart, type TourEnd } from './return-part.js'
export { readDiscoveryRows, readVisitRows, type VisitRow, writeDiscoveryRow, writeVisitRow } from './rows.js'
