/**
 * model/bytes/: hashes and codecs over bytes.
 * In: bytes. Out: fingerprints, checksums, decoded bytes. Always: the output has a bound.
 */
export { charSum } from './char-sum.js'
export { fingerprint, takeFingerprint } from './fingerprint.js'
export { gzipHeadBytes } from './gzip-head.js'
export { packageFile } from './package-file.js'
export { alignedBuffer, loadWasm, type WasmMemory, type WasmPlace } from './wasm.js'
export { joinSketches, readSketch, SKETCH_NUMBERS, WordSketch } from './word-sketch.js'
export { xxh64 } from './xxh64.js'
export { loadedZstd, loadZstd, type Zstd } from './zstd.js'
export {
  isZstdFrame,
  readZstdFrame,
  skippableEnd,
  walkBlocks,
  ZSTD_BLOCK_BYTES,
  type ZstdFrame,
} from './zstd-frame.js'
