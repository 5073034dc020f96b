/**
 * migrate/bundle/: what travels between a home and a host, as bytes. In: a manifest and sections. Out: a
 * signed container (`.owb` to the host, `.owr` back), and what a container says. Always: signature, hashes
 * and sizes are checked before a section is inflated, and a container with one wrong bit is refused.
 */
export { type Bundle, type BundleManifest, openBundle, sealBundle } from './bundle.js'
export { sha256 } from './container.js'
export { type FieldChecks, isCount, isListOf, isText, readObject } from './fields.js'
export {
  isPublicKey,
  type KeyPair,
  newKeyPair,
  readPrivateKey,
} from './keys.js'
export {
  type HostCard,
  type Progress,
  type Renewal,
  readHostCard,
  readProgress,
  readRenewal,
  writeRenewal,
} from './messages.js'
export { openPart, type ReturnPartManifest, sealPart, type TourEnd } from './return-part.js'
export { readDiscoveryRows, readVisitRows, type VisitRow, writeDiscoveryRow, writeVisitRow } from './rows.js'
