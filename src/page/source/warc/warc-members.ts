/**
 * Finds and undoes the compression of single records: gzip members (ours and others'), zstd frames, or none.
 */
import { crc32, inflateRawSync } from 'node:zlib'
import { gzipHeadBytes, isZstdFrame, loadedZstd, readZstdFrame } from '../../../model/bytes/index.js'

/** `need`: the bytes end before the member does. `unloaded`: zstd, and `loadZstd` has not been called. */
export type Member =
  | { readonly ok: true; readonly length: number; readonly content: Buffer }
  | { readonly ok: false; readonly why: 'need' | 'damaged' | 'too-large' | 'unloaded' }

/** The member that begins at the start of `bytes`. */
export function firstMember(bytes: Buffer, maxBytes: number): Member {
  if (bytes.length < 4) return { ok: false, why: 'need' }
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gzipMember(bytes, maxBytes)
  if (isZstdFrame(bytes, 0)) return zstdFrame(bytes, maxBytes)
  return { ok: false, why: 'damaged' }
}

/**
 * Node's gunzip continues into the next member, so head and trailer are read here and only the data is
 * inflated.
 */
function gzipMember(bytes: Buffer, maxBytes: number): Member {
  const start = gzipHeadBytes(bytes)
  if (start < 0) return { ok: false, why: 'need' }
  try {
    const options = { info: true, maxOutputLength: maxBytes }
    const { buffer, engine } = inflateRawSync(bytes.subarray(start), options) as unknown as InflateInfo
    const end = start + engine.bytesWritten
    if (end + 8 > bytes.length) return { ok: false, why: 'need' }
    const sound = bytes.readUInt32LE(end) === crc32(buffer) && bytes.readUInt32LE(end + 4) === buffer.length
    return sound ? { ok: true, length: end + 8, content: buffer } : { ok: false, why: 'damaged' }
  } catch (error) {
    return { ok: false, why: reasonOf(error) }
  }
}

/** The result of zlib with `info`. */
interface InflateInfo {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

function zstdFrame(bytes: Buffer, maxBytes: number): Member {
  const zstd = loadedZstd()
  if (!zstd) return { ok: false, why: 'unloaded' }
  const frame = readZstdFrame(bytes)
  if (frame === null || frame.blocks.end === 'early') return { ok: false, why: 'need' }
  if (frame.blocks.end === 'damaged') return { ok: false, why: 'damaged' }
  if (frame.contentBytes !== null && frame.contentBytes > maxBytes) return { ok: false, why: 'too-large' }
  try {
    const content = zstd.decompress(bytes.subarray(0, frame.length), frame.contentBytes ?? maxBytes)
    return { ok: true, length: frame.length, content }
  } catch (error) {
    return { ok: false, why: reasonOf(error) }
  }
}

function reasonOf(error: unknown): 'need' | 'damaged' | 'too-large' {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  if (code === 'ERR_BUFFER_TOO_LARGE') return 'too-large'
  return code === 'Z_BUF_ERROR' ? 'need' : 'damaged'
}
