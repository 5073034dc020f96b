/** Finds and undoes the compression of single records: gzip members (ours and others'), zstd frames, or none. */
import { crc32, gunzipSync, inflateRawSync } from 'node:zlib'
import { loadedZstd } from './zstd.js'

/** `need`: the bytes end before the member does. `unloaded`: zstd, and `loadZstd` has not been called. */
export type Member =
  | { readonly ok: true; readonly length: number; readonly content: Buffer }
  | { readonly ok: false; readonly why: 'need' | 'damaged' | 'too-large' | 'unloaded' }

const ZSTD_MAGIC = 0xfd2f_b528

export function isZstd(bytes: Buffer): boolean {
  return bytes.length >= 4 && bytes.readUInt32LE(0) === ZSTD_MAGIC
}

/** The member that begins at the start of `bytes`. */
export function firstMember(bytes: Buffer, maxBytes: number): Member {
  if (bytes.length < 4) return { ok: false, why: 'need' }
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gzipMember(bytes, maxBytes)
  if (isZstd(bytes)) return zstdFrame(bytes, maxBytes)
  return { ok: false, why: 'damaged' }
}

/** All of `bytes` are one member, as an index says. */
export function wholeMember(bytes: Buffer, maxBytes: number): Member {
  if (bytes.length < 4 || bytes[0] !== 0x1f || bytes[1] !== 0x8b) return firstMember(bytes, maxBytes)
  try {
    return { ok: true, length: bytes.length, content: gunzipSync(bytes, { maxOutputLength: maxBytes }) }
  } catch (error) {
    return { ok: false, why: reasonOf(error) }
  }
}

/** Node's gunzip runs on into the next member, so head and trailer are read here and only the middle inflated. */
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

/** What zlib gives with `info`. */
interface InflateInfo {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

const HAS_CHECKSUM = 2
const HAS_EXTRA = 4
const HAS_NAME = 8
const HAS_COMMENT = 16

/** RFC 1952; -1 when it does not end within `bytes`. */
function gzipHeadBytes(bytes: Buffer): number {
  if (bytes.length < 10) return -1
  const flags = bytes[3]
  let at = 10
  if (flags & HAS_EXTRA) {
    if (bytes.length < at + 2) return -1
    at += 2 + bytes.readUInt16LE(at)
  }
  for (const flag of [HAS_NAME, HAS_COMMENT]) {
    if (!(flags & flag)) continue
    const end = bytes.indexOf(0, at)
    if (end < 0) return -1
    at = end + 1
  }
  if (flags & HAS_CHECKSUM) at += 2
  return at < bytes.length ? at : -1
}

function zstdFrame(bytes: Buffer, maxBytes: number): Member {
  const zstd = loadedZstd()
  if (!zstd) return { ok: false, why: 'unloaded' }
  const frame = zstdFrameSize(bytes)
  if (!frame) return { ok: false, why: 'need' }
  if (frame.contentBytes !== null && frame.contentBytes > maxBytes) return { ok: false, why: 'too-large' }
  try {
    const content = zstd.decompress(bytes.subarray(0, frame.length), frame.contentBytes ?? maxBytes)
    return { ok: true, length: frame.length, content }
  } catch (error) {
    return { ok: false, why: reasonOf(error) }
  }
}

interface FrameSize {
  readonly length: number
  /** As its head says; null when it does not. */
  readonly contentBytes: number | null
}

/** RFC 8878: the frame's head, then blocks that say how long they are; null when it does not end within `bytes`. */
function zstdFrameSize(bytes: Buffer): FrameSize | null {
  if (bytes.length < 6) return null
  const descriptor = bytes[4]
  const isSingleSegment = (descriptor & 0x20) !== 0
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]
  const sizeAt = 5 + (isSingleSegment ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]
  let at = sizeAt + sizeBytes
  if (at > bytes.length) return null
  const contentBytes = contentSize(bytes, sizeAt, sizeBytes)
  for (let isLast = false; !isLast; ) {
    if (at + 3 > bytes.length) return null
    const head = bytes.readUIntLE(at, 3)
    isLast = (head & 1) === 1
    const isRepeated = ((head >> 1) & 3) === 1
    at += 3 + (isRepeated ? 1 : head >> 3)
  }
  if (descriptor & 4) at += 4
  return at <= bytes.length ? { length: at, contentBytes } : null
}

function contentSize(bytes: Buffer, at: number, sizeBytes: number): number | null {
  if (sizeBytes === 0) return null
  if (sizeBytes === 8) return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32
  return bytes.readUIntLE(at, sizeBytes) + (sizeBytes === 2 ? 256 : 0)
}

function reasonOf(error: unknown): 'need' | 'damaged' | 'too-large' {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  if (code === 'ERR_BUFFER_TOO_LARGE') return 'too-large'
  return code === 'Z_BUF_ERROR' ? 'need' : 'damaged'
}
