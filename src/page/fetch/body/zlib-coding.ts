/**
 * The codings of Node's zlib: gzip, deflate, br. Keeps the sound part of a body that ends early or is
 * damaged: if decoding the whole body fails, it is decoded again for that part.
 */

import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { gzipHeadBytes } from '../../../model/bytes/index.js'
import { AT_ONCE_BYTES, AT_ONCE_OUTPUT_BYTES, STREAM_CHUNK_BYTES } from '../../limits.js'
import { type Coding, type Decoded, notDecodable } from './decoded.js'

interface Options {
  readonly chunkSize?: number
  readonly maxOutputLength?: number
  /** Without it, a body that ends early is an error. */
  readonly finishFlush?: number
}

interface Zlib {
  readonly name: string
  /** The flush that returns the output of a body that ends early. */
  readonly partFlush: number
  sync(bytes: Buffer, options: Options): Buffer
  stream(options: Options): Transform & { readonly bytesWritten: number }
}

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
const RAW = way('deflate', Z_SYNC_FLUSH, zlib.inflateRawSync, zlib.createInflateRaw)

export const RAW_DEFLATE = coding(RAW)
export const ZLIB = coding(way('deflate', Z_SYNC_FLUSH, zlib.inflateSync, zlib.createInflate))
export const GZIP = coding(way('gzip', Z_SYNC_FLUSH, zlib.gunzipSync, zlib.createGunzip))
export const BROTLI = coding(
  way('br', BROTLI_OPERATION_FLUSH, zlib.brotliDecompressSync, zlib.createBrotliDecompress),
)

function way(name: string, partFlush: number, sync: Zlib['sync'], stream: Zlib['stream']): Zlib {
  return { name, partFlush, sync, stream }
}

function coding(way: Zlib): Coding {
  return {
    name: way.name,
    atOnce: (bytes, maxBytes) => decodeAtOnce(way, bytes, maxBytes),
    later: (bytes, maxBytes) => decodeLater(way, bytes, maxBytes),
  }
}

function decodeAtOnce(way: Zlib, bytes: Buffer, maxBytes: number): Decoded | 'later' {
  if (bytes.length > AT_ONCE_BYTES) return 'later'
  const maxOutputLength = Math.min(maxBytes, AT_ONCE_OUTPUT_BYTES)
  const options = { maxOutputLength, chunkSize: outputGuess(way, bytes) }
  const whole = attempt(way, bytes, options)
  if (whole === 'too-large') return 'later'
  if (whole instanceof Buffer) return { ok: true, body: whole, cut: null }
  const member = way.name === 'gzip' ? memberAtOnce(bytes, options) : null
  if (member !== null) return { ok: true, body: member, cut: null }
  const part = soundPart(way, bytes, { ...options, finishFlush: way.partFlush })
  if (part === 'too-large') return 'later'
  return part === 'broken' ? notDecodable(way.name) : { ok: true, body: part, cut: 'early' }
}

/**
 * Decodes the longest sound prefix. `partFlush` tolerates an early end; only for a damaged body the prefix is
 * found by bisection.
 */
function soundPart(way: Zlib, bytes: Buffer, options: Options): Buffer | 'too-large' | 'broken' {
  const part = attempt(way, bytes, options)
  if (part instanceof Buffer || part === 'too-large') return part
  let sound: Buffer | null = null
  let low = 0
  let high = bytes.length
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    const decoded = attempt(way, bytes.subarray(0, middle), options)
    if (decoded === 'too-large') return decoded
    if (decoded instanceof Buffer) {
      low = middle
      sound = decoded
    } else high = middle
  }
  return sound === null || sound.length === 0 ? 'broken' : sound
}

function attempt(way: Zlib, bytes: Buffer, options: Options): Buffer | 'too-large' | 'broken' {
  try {
    return way.sync(bytes, options)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'broken'
  }
}

/**
 * Decodes one complete gzip member with a wrong checksum, or with other bytes after it, such as a line break.
 */
function memberAtOnce(bytes: Buffer, options: Options): Buffer | null {
  try {
    const deflated = bytes.subarray(gzipHeadBytes(bytes))
    const { buffer, engine } = zlib.inflateRawSync(deflated, {
      ...options,
      info: true,
    }) as unknown as Inflated
    return isWholeMember(bytes, engine.bytesWritten) ? buffer : null
  } catch {
    return null
  }
}

/** The result of zlib with `info`; `bytesWritten` is the number of input bytes used. */
interface Inflated {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

/** Whether the member has its trailer, correct or not, and no other member follows. */
function isWholeMember(bytes: Buffer, deflatedBytes: number): boolean {
  const next = gzipHeadBytes(bytes) + deflatedBytes + TRAILER_BYTES
  return next <= bytes.length && (bytes[next] !== 0x1f || bytes[next + 1] !== 0x8b)
}

const TRAILER_BYTES = 8

/**
 * Guesses the output size, to allocate once: gzip ends with that size; other pages shrink to about a fifth.
 */
function outputGuess(way: Zlib, bytes: Buffer): number {
  const said = way.name === 'gzip' && bytes.length >= 18 ? bytes.readUInt32LE(bytes.length - 4) : 0
  const guess = said > 0 && said < bytes.length * 40 ? said + 64 : bytes.length * 6
  return Math.min(Math.max(guess, 4096), 1024 * 1024)
}

async function decodeLater(way: Zlib, bytes: Buffer, maxBytes: number): Promise<Decoded> {
  const whole = await decodeStream(way, bytes, maxBytes, {})
  if (whole.isSound) return { ok: true, body: whole.body, cut: whole.isOver ? 'limit' : null }
  if (way.name === 'gzip') {
    const first = await decodeStream(RAW, bytes.subarray(gzipHeadBytes(bytes)), maxBytes, {})
    const isWhole = first.isSound && !first.isOver && isWholeMember(bytes, first.usedBytes)
    if (isWhole) return { ok: true, body: first.body, cut: null }
  }
  const part = await decodeStream(way, bytes, maxBytes, { finishFlush: way.partFlush })
  if (!part.isSound && part.body.length === 0) return notDecodable(way.name)
  return { ok: true, body: part.body, cut: part.isOver ? 'limit' : 'early' }
}

interface Streamed {
  readonly body: Buffer
  readonly isSound: boolean
  /** The output exceeded the limit, and decoding stopped. */
  readonly isOver: boolean
  /** Input bytes. */
  readonly usedBytes: number
}

function decodeStream(way: Zlib, bytes: Buffer, maxBytes: number, options: Options): Promise<Streamed> {
  return new Promise(resolve => {
    const pieces: Buffer[] = []
    let length = 0
    const stream = way.stream({ ...options, chunkSize: STREAM_CHUNK_BYTES })
    const finish = (isSound: boolean, isOver: boolean): void => {
      stream.destroy()
      const body = Buffer.concat(pieces, Math.min(length, maxBytes))
      resolve({ body, isSound, isOver, usedBytes: stream.bytesWritten })
    }
    stream.on('data', (piece: Buffer) => {
      pieces.push(piece)
      length += piece.length
      if (length > maxBytes) finish(true, true)
    })
    stream.on('end', () => finish(true, false))
    stream.on('error', () => finish(false, false))
    stream.end(bytes)
  })
}
