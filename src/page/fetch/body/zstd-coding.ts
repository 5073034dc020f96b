/**
 * The content coding `zstd` (RFC 8878, RFC 9659): any number of frames, some skippable. The decoder only
 * takes whole frames, so this module parses them. Of a frame that is cut, damaged or too large, the sound
 * blocks that fit are put into a frame of their own. No memory is allocated for a size that is only claimed.
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
import { AT_ONCE_BYTES, AT_ONCE_OUTPUT_BYTES, ZSTD_CODING_WINDOW_BYTES_MAX } from '../../limits.js'
import { type Coding, type Cut, type Decoded, notDecodable } from './decoded.js'

/** A frame may be empty, and each costs a call. */
const FRAMES_MAX = 4_096
/** Attempts to find the number of sound blocks in a frame; each decodes from the first block on. */
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

/** Whether the bytes begin with a frame or a skippable frame. */
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
    // Ignores bytes after the last frame, as zlib does.
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
  return windowBytes > ZSTD_CODING_WINDOW_BYTES_MAX ? `zstd with a window of ${windowBytes} bytes` : null
}

interface Piece {
  readonly body: Buffer
  readonly cut: Cut | null
}

/** Decodes at most `roomBytes`; null if nothing can be decoded. */
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

/** Decodes the longest sound sequence of blocks, up to `roomBytes`. */
function soundBlocks(zstd: Zstd, bytes: Buffer, frame: ZstdFrame, roomBytes: number): Piece | null {
  let sound: Buffer | null = frame.blocks.count === 0 && frame.blocks.end === 'early' ? EMPTY : null
  let low = 0
  let high = frame.blocks.count + 1
  // The first attempt takes the blocks that surely fit. The blocks of a bomb are full, so that is all of
  // them.
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
  // Only the checksum, or the size in the header, is wrong.
  if (low === frame.blocks.count && frame.blocks.end === 'last') return { body: sound, cut: null }
  return { body: sound, cut: sound.length === roomBytes ? 'limit' : 'early' }
}

const EMPTY = Buffer.alloc(0)
/** A frame header with the largest window, without size, dictionary and checksum. */
const HEAD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 13 << 3])

/** Makes a frame of the first `count` blocks. */
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
