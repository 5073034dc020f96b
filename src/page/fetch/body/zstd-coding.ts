/**
 * The content coding `zstd` (RFC 8878, RFC 9659): any number of frames, skippable ones among them. Frames are
 * taken apart here, because the decoder knows whole frames only: of one that is cut short, damaged or larger
 * than allowed, the blocks that are sound and fit are put into a frame of their own. Nothing is allocated for
 * what a head merely says.
 */
import {
  isZstdFrame,
  loadedZstd,
  loadZstd,
  readZstdFrame,
  skippableEnd,
  walkBlocks,
  ZSTD_BLOCK_BYTES,
  type Zstd,
  type ZstdFrame,
} from '../../../model/bytes/index.js'
import {
  AT_ONCE_BYTES,
  AT_ONCE_OUTPUT_BYTES,
  type Coding,
  type Cut,
  type Decoded,
  notDecodable,
} from './decoded.js'

/** RFC 9659: no encoder may ask a receiver for more. */
const WINDOW_BYTES_MAX = 8 * 1024 * 1024
/** A frame may hold nothing, and each costs a call. */
const FRAMES_MAX = 4_096
/** Tries to find how many blocks of a frame are sound and fit: each decodes them from the first on. */
const TRIES = 12

export const ZSTD: Coding = {
  name: 'zstd',
  atOnce(bytes, maxBytes) {
    const zstd = loadedZstd()
    if (zstd === null || bytes.length > AT_ONCE_BYTES) return 'later'
    const decoded = decodeFrames(zstd, bytes, Math.min(maxBytes, AT_ONCE_OUTPUT_BYTES))
    const isTooMuch = decoded.ok && decoded.cut === 'limit' && maxBytes > AT_ONCE_OUTPUT_BYTES
    return isTooMuch ? 'later' : decoded
  },
  async later(bytes, maxBytes) {
    await loadZstd()
    return decodeFrames(loadedZstd()!, bytes, maxBytes)
  },
}

/** Whether this is the coding: a frame, or one to be skipped. */
export function isZstdCoded(bytes: Buffer): boolean {
  return isZstdFrame(bytes, 0) || skippableEnd(bytes, 0) >= 0
}

function decodeFrames(zstd: Zstd, bytes: Buffer, maxBytes: number): Decoded {
  const pieces: Buffer[] = []
  let length = 0
  const ended = (cut: Cut | null): Decoded => ({ ok: true, body: joined(pieces, length), cut })
  let at = 0
  for (let frames = 0; at < bytes.length; frames++) {
    if (frames === FRAMES_MAX) return ended('limit')
    const skippedTo = skippableEnd(bytes, at)
    if (skippedTo >= 0) {
      at = skippedTo
      continue
    }
    // Like zlib, pass over what follows the last frame and is none.
    if (!isZstdFrame(bytes, at)) break
    const rest = bytes.subarray(at)
    const frame = readZstdFrame(rest)
    if (frame === null) return ended('early')
    const detail = refusal(frame)
    if (detail !== null) return pieces.length === 0 ? { ok: false, detail } : ended('early')
    if (length === maxBytes && frame.blocks.maxBytes > 0) return ended('limit')
    const piece = decodeFrame(zstd, rest, frame, maxBytes - length)
    if (piece === null) return pieces.length === 0 ? notDecodable('zstd') : ended('early')
    pieces.push(piece.body)
    length += piece.body.length
    if (piece.cut !== null) return ended(piece.cut)
    at += frame.length
  }
  return ended(at > bytes.length ? 'early' : null)
}

function joined(pieces: readonly Buffer[], length: number): Buffer {
  return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, length)
}

function refusal({ dictionary, windowBytes }: ZstdFrame): string | null {
  if (dictionary !== 0) return 'zstd with a dictionary that we do not have'
  return windowBytes > WINDOW_BYTES_MAX ? `zstd with a window of ${windowBytes} bytes` : null
}

interface Piece {
  readonly body: Buffer
  readonly cut: Cut | null
}

/** At most `roomBytes` of what the frame holds; null when nothing of it can be decoded. */
function decodeFrame(zstd: Zstd, bytes: Buffer, frame: ZstdFrame, roomBytes: number): Piece | null {
  const { blocks, contentBytes } = frame
  const saysTrue = contentBytes === null || contentBytes <= blocks.maxBytes
  if (blocks.end === 'last' && saysTrue && (contentBytes ?? 0) <= roomBytes) {
    const capacity = contentBytes ?? Math.min(blocks.maxBytes, roomBytes)
    const body = attempt(zstd, bytes.subarray(0, frame.length), capacity)
    if (body instanceof Buffer) return { body, cut: null }
  }
  return soundBlocks(zstd, bytes, frame, roomBytes)
}

/** What the longest sound row of blocks holds, up to `roomBytes`. */
function soundBlocks(zstd: Zstd, bytes: Buffer, frame: ZstdFrame, roomBytes: number): Piece | null {
  let sound: Buffer | null = frame.blocks.count === 0 && frame.blocks.end === 'early' ? EMPTY : null
  let low = 0
  let high = frame.blocks.count + 1
  // The first try has as many blocks as surely fit. The blocks of a bomb are full, so that is all of them.
  let count = walkBlocks(bytes, frame.headBytes, frame.blocks.count, roomBytes).count
  for (let tries = 0; tries < TRIES && low + 1 < high; tries++) {
    const body = attempt(zstd, frameOf(bytes, frame, count), roomBytes + ZSTD_BLOCK_BYTES)
    if (body instanceof Buffer) {
      if (body.length > roomBytes) return { body: body.subarray(0, roomBytes), cut: 'limit' }
      sound = body
      low = count
    } else high = count
    count = (low + high) >>> 1
  }
  if (sound === null) return null
  // All that is wrong is the checksum, or the size that the head says.
  if (low === frame.blocks.count && frame.blocks.end === 'last') return { body: sound, cut: null }
  return { body: sound, cut: sound.length === roomBytes ? 'limit' : 'early' }
}

const EMPTY = Buffer.alloc(0)
/** A frame with the largest window allowed, and without size, dictionary and checksum. */
const HEAD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 13 << 3])

/** The first `count` blocks of a frame as a frame of their own. */
function frameOf(bytes: Buffer, { headBytes }: ZstdFrame, count: number): Buffer {
  const { lastAt, endAt } = walkBlocks(bytes, headBytes, count)
  const frame = Buffer.concat([HEAD, bytes.subarray(headBytes, endAt)])
  frame[HEAD.length + lastAt - headBytes] |= 1
  return frame
}

function attempt(zstd: Zstd, frame: Buffer, maxBytes: number): Buffer | null {
  try {
    return zstd.decompress(frame, maxBytes)
  } catch {
    return null
  }
}
