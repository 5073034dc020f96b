/** The supported content codings, and how to recognise each by the bytes of a body. */
import type { Coding } from './decoded.js'
import { BROTLI, GZIP, RAW_DEFLATE, ZLIB } from './zlib-coding.js'
import { isZstdCoded, ZSTD } from './zstd-coding.js'

/**
 * How to undo the coding `name`: 'identity' if the label is wrong or meaningless, 'unknown' if the bytes are
 * in a coding that we do not support.
 */
export function codingFor(name: string, bytes: Buffer): Coding | 'identity' | 'unknown' {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      if (isGzip(bytes)) return GZIP
      // The second byte of zlib's own output is no letter, or one of few, with which text does not begin.
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
      // Servers send charsets and other mistakes here; browsers ignore them.
      return 'identity'
  }
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** RFC 1950: method 8, and a header divisible by 31. Many servers send raw deflate instead. */
function looksLikeZlib(bytes: Buffer): boolean {
  return bytes.length >= 2 && (bytes[0] & 0x0f) === 8 && ((bytes[0] << 8) | bytes[1]) % 31 === 0
}
