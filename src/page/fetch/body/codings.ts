/** The content codings we can undo, and what a body must look like to be one. */
import type { Coding } from './decoded.js'
import { BROTLI, GZIP, RAW_DEFLATE, ZLIB } from './zlib-coding.js'
import { isZstdCoded, ZSTD } from './zstd-coding.js'

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
      return isZstdCoded(bytes) ? ZSTD : 'identity'
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
