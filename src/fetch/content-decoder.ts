/**
 * Undoes Content-Encoding within bounds. Small bodies are decoded at once: a trip through the thread pool
 * costs six times the decoding (185 us against 27 for a page of 16 KB). Large ones, and small ones that turn
 * out large, are streamed, so a bomb stops at the limit and never blocks the loop.
 */

import { Gate } from '../model/gate.js'
import { type Coding, codingFor } from './codings.js'

/** `cut`: the body went on past the limit. */
export type Decoded =
  | { readonly ok: true; readonly body: Buffer; readonly cut: boolean }
  | { readonly ok: false; readonly detail: string }

const AT_ONCE_BYTES = 256 * 1024
const AT_ONCE_OUTPUT_BYTES = 4 * 1024 * 1024
const STREAM_CHUNK_BYTES = 64 * 1024
/**
 * Streams that decode together; each holds up to one body, and the thread pool has four threads for
 * everybody.
 */
const STREAMS = 2

export class ContentDecoder {
  readonly #maxCodings: number
  readonly #streams = new Gate(STREAMS)

  constructor(maxCodings: number) {
    this.#maxCodings = maxCodings
  }

  /**
   * Undoes `codings` (in the order they were applied). A value where it could be done at once, else a
   * promise: then it waits first until there is `room` for `maxBytes`.
   */
  decode(
    payload: Buffer,
    codings: readonly string[],
    maxBytes: number,
    room: () => Promise<void> = async () => {},
  ): Decoded | Promise<Decoded> {
    if (codings.length > this.#maxCodings) {
      return { ok: false, detail: `${codings.length} content encodings on top of each other` }
    }
    let body = payload
    for (let i = codings.length - 1; i >= 0 && body.length > 0; i--) {
      const way = codingFor(codings[i], body)
      if (way === 'identity') continue
      if (way === 'unknown') return { ok: false, detail: `cannot decode ${codings[i]}` }
      const decoded = decodeAtOnce(way, body, maxBytes)
      if (decoded === 'too-large') {
        const [input, left] = [body, codings.slice(0, i + 1)]
        return room().then(() => this.#decodeStreamed(input, left, maxBytes))
      }
      if (decoded === 'corrupt') return { ok: false, detail: `not ${way.name}, though it says so` }
      body = decoded
    }
    return { ok: true, body, cut: false }
  }

  async #decodeStreamed(payload: Buffer, codings: readonly string[], maxBytes: number): Promise<Decoded> {
    let body = payload
    let cut = false
    for (let i = codings.length - 1; i >= 0; i--) {
      const way = codingFor(codings[i], body)
      if (way === 'identity') continue
      if (way === 'unknown') return { ok: false, detail: `cannot decode ${codings[i]}` }
      const input = body
      const decoded = await this.#streams.run(() => decodeStream(way, input, maxBytes))
      if (!decoded.ok) return decoded
      body = decoded.body
      cut ||= decoded.cut
    }
    return { ok: true, body, cut }
  }
}

/** The decoded bytes, or why they cannot be had at once. */
function decodeAtOnce(coding: Coding, bytes: Buffer, maxBytes: number): Buffer | 'too-large' | 'corrupt' {
  if (bytes.length > AT_ONCE_BYTES) return 'too-large'
  const maxOutputLength = Math.min(maxBytes, AT_ONCE_OUTPUT_BYTES)
  const decoded = attempt(coding, bytes, maxOutputLength)
  return decoded === 'corrupt' ? salvage(coding, bytes, maxOutputLength) : decoded
}

/**
 * Of a body that is corrupt somewhere: what its longest sound prefix gives. Ended streams are no error, so
 * halving finds it.
 */
function salvage(coding: Coding, bytes: Buffer, maxOutputLength: number): Buffer | 'too-large' | 'corrupt' {
  let sound: Buffer | null = null
  let low = 0
  let high = bytes.length
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    const decoded = attempt(coding, bytes.subarray(0, middle), maxOutputLength)
    if (decoded === 'too-large') return decoded
    if (decoded === 'corrupt') high = middle
    else {
      low = middle
      sound = decoded
    }
  }
  return sound === null || sound.length === 0 ? 'corrupt' : sound
}

function attempt(coding: Coding, bytes: Buffer, maxOutputLength: number): Buffer | 'too-large' | 'corrupt' {
  try {
    return coding.decodeSync(bytes, { maxOutputLength, chunkSize: outputGuess(coding, bytes) })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'corrupt'
  }
}

/**
 * gzip ends with its own length; otherwise pages shrink to about a fifth. One allocation when the guess is
 * right.
 */
function outputGuess(coding: Coding, bytes: Buffer): number {
  const said = coding.name === 'gzip' && bytes.length >= 18 ? bytes.readUInt32LE(bytes.length - 4) : 0
  const guess = said > 0 && said < bytes.length * 40 ? said + 64 : bytes.length * 6
  return Math.min(Math.max(guess, 4096), 1024 * 1024)
}

function decodeStream(coding: Coding, bytes: Buffer, maxBytes: number): Promise<Decoded> {
  return new Promise(resolve => {
    const pieces: Buffer[] = []
    let length = 0
    const stream = coding.stream({ chunkSize: STREAM_CHUNK_BYTES })
    const finish = (cut: boolean): void => {
      stream.destroy()
      resolve({ ok: true, body: Buffer.concat(pieces, Math.min(length, maxBytes)), cut })
    }
    stream.on('data', (piece: Buffer) => {
      pieces.push(piece)
      length += piece.length
      if (length > maxBytes) finish(true)
    })
    stream.on('end', () => finish(false))
    stream.on('error', () => {
      if (length > 0) finish(false)
      else resolve({ ok: false, detail: `not ${coding.name}, though it says so` })
    })
    stream.end(bytes)
  })
}
