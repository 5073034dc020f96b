/** The content codings we can undo, and what a body must look like to be one. */
import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'

interface CodingOptions {
  readonly chunkSize?: number
  readonly maxOutputLength?: number
}

/** One way of undoing a coding; both forms keep what a stream that ends early has given so far. */
export interface Coding {
  readonly name: string
  decodeSync(bytes: Buffer, options: CodingOptions): Buffer
  stream(options: CodingOptions): Transform
}

type Options = CodingOptions & { readonly finishFlush: number }

const coding = (
  name: string,
  finishFlush: number,
  sync: (bytes: Buffer, options: Options) => Buffer,
  stream: (options: Options) => Transform,
): Coding => ({
  name,
  decodeSync: (bytes, options) => sync(bytes, { ...options, finishFlush }),
  stream: options => stream({ ...options, finishFlush }),
})

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
const GZIP = coding('gzip', Z_SYNC_FLUSH, zlib.gunzipSync, zlib.createGunzip)
const ZLIB = coding('deflate', Z_SYNC_FLUSH, zlib.inflateSync, zlib.createInflate)
const RAW_DEFLATE = coding('deflate', Z_SYNC_FLUSH, zlib.inflateRawSync, zlib.createInflateRaw)
const BROTLI = coding('br', BROTLI_OPERATION_FLUSH, zlib.brotliDecompressSync, zlib.createBrotliDecompress)
const ZSTD = zstdOfThisNode()

/** Node 22.15 brought zstd; the types we build against are older. */
function zstdOfThisNode(): Coding | null {
  const found: {
    gunzipSync: unknown
    zstdDecompressSync?: (bytes: Buffer, options: Options) => Buffer
    createZstdDecompress?: (options: Options) => Transform
  } = zlib
  const { zstdDecompressSync, createZstdDecompress } = found
  if (zstdDecompressSync === undefined || createZstdDecompress === undefined) return null
  const zstdFlush = 1
  return coding('zstd', zstdFlush, zstdDecompressSync, createZstdDecompress)
}

/**
 * How to undo the coding `name` on these bytes: 'identity' when the label is wrong or means nothing,
 * 'unknown' when the bytes really are something we cannot undo.
 */
export function codingFor(name: string, bytes: Buffer): Coding | 'identity' | 'unknown' {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      if (isGzip(bytes)) return GZIP
      // The second byte of all that zlib itself writes is no letter, or one of few: text does not begin so.
      return bytes[0] === 0x78 && bytes[1] !== 0x5e && looksLikeZlib(bytes) ? ZLIB : 'identity'
    case 'deflate':
      if (isGzip(bytes)) return GZIP
      return looksLikeZlib(bytes) ? ZLIB : RAW_DEFLATE
    case 'br':
      return BROTLI
    case 'zstd':
      if (bytes.length < 4 || bytes.readUInt32LE(0) !== 0xfd2f_b528) return 'identity'
      return ZSTD ?? 'unknown'
    case 'compress':
    case 'x-compress':
      return bytes[0] === 0x1f && bytes[1] === 0x9d ? 'unknown' : 'identity'
    default:
      // Servers write charsets and other nonsense here; browsers pass it by.
      return 'identity'
  }
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** RFC 1950: method 8, and a header divisible by 31. Many servers send raw deflate under the same name. */
function looksLikeZlib(bytes: Buffer): boolean {
  return bytes.length >= 2 && (bytes[0] & 0x0f) === 8 && ((bytes[0] << 8) | bytes[1]) % 31 === 0
}
