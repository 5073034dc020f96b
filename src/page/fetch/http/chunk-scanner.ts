/**
 * Follows the framing of `Transfer-Encoding: chunked` over bytes that arrive in any pieces, to find the end
 * of the body and the size of its payload. `dechunk` then extracts the payload from the complete body.
 */
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const TAB = 0x09
const SEMICOLON = 0x3b
/** 2^52 bytes; below it all sums are exact. */
const SIZE_MAX = 0x10_0000_0000_0000

type At = 'size' | 'extension' | 'data' | 'data-end' | 'trailer' | 'done' | 'bad'

export class ChunkScanner {
  at: At = 'size'
  /** The reason for `bad`. */
  fault = ''
  payloadBytes = 0
  /** Number of chunks with data, and the start of the first: a single chunk needs no copy. */
  chunks = 0
  firstDataAt = 0
  readonly #maxLineBytes: number
  readonly #maxTrailerBytes: number
  readonly #sink: Buffer | null
  #size = 0
  #digits = 0
  #lineBytes = 0
  #trailerBytes = 0
  #seenBytes = 0

  /** A sink receives a copy of the payload. */
  constructor(maxLineBytes: number, maxTrailerBytes: number, sink: Buffer | null = null) {
    this.#maxLineBytes = maxLineBytes
    this.#maxTrailerBytes = maxTrailerBytes
    this.#sink = sink
  }

  /** Reads `bytes[from..to)`; returns the end of the body, or `to`. */
  feed(bytes: Buffer, from: number, to: number): number {
    let i = from
    while (i < to && this.at !== 'done' && this.at !== 'bad') {
      if (this.at === 'data') i = this.#data(bytes, i, to, this.#seenBytes + i - from)
      else this.at = this.#framing(bytes[i++])
    }
    this.#seenBytes += i - from
    return i
  }

  #data(bytes: Buffer, from: number, to: number, position: number): number {
    const end = Math.min(to, from + this.#size)
    if (this.chunks === 0) this.firstDataAt = position
    if (this.#digits > 0) this.chunks++
    this.#digits = 0
    if (this.#sink !== null) bytes.copy(this.#sink, this.payloadBytes, from, end)
    this.payloadBytes += end - from
    this.#size -= end - from
    if (this.#size === 0) this.at = 'data-end'
    return end
  }

  /** The state after one byte of framing. */
  #framing(byte: number): At {
    if (this.at === 'trailer') return this.#trailer(byte)
    return this.at === 'data-end' ? this.#dataEnd(byte) : this.#sizeLine(byte)
  }

  #sizeLine(byte: number): At {
    if (++this.#lineBytes > this.#maxLineBytes) return this.#fail('chunk size line too long')
    if (byte === LF) return this.#sizeKnown()
    if (this.at === 'extension') return 'extension'
    if (byte === SEMICOLON || byte === SPACE || byte === TAB || byte === CR) {
      return this.#digits > 0 ? 'extension' : 'size'
    }
    const digit = hexDigit(byte)
    if (digit < 0) return this.#fail('chunk size is not a number')
    this.#digits++
    this.#size = this.#size * 16 + digit
    return this.#size > SIZE_MAX ? this.#fail('chunk size too large') : 'size'
  }

  #sizeKnown(): At {
    if (this.#digits === 0) return this.#fail('chunk size missing')
    this.#lineBytes = 0
    return this.#size === 0 ? 'trailer' : 'data'
  }

  #dataEnd(byte: number): At {
    if (byte === CR && this.#lineBytes++ === 0) return 'data-end'
    if (byte !== LF) return this.#fail('chunk longer than its size')
    this.#lineBytes = 0
    return 'size'
  }

  /** Skips header lines after the last chunk, up to an empty one. */
  #trailer(byte: number): At {
    if (++this.#trailerBytes > this.#maxTrailerBytes) return this.#fail('trailers too long')
    if (byte === CR) return 'trailer'
    if (byte === LF && this.#lineBytes === 0) return 'done'
    this.#lineBytes = byte === LF ? 0 : this.#lineBytes + 1
    return 'trailer'
  }

  #fail(fault: string): At {
    this.fault = fault
    return 'bad'
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** The payload of a complete body that `scanner` has read; a view of `raw` if there is one chunk. */
export function dechunk(raw: Buffer, scanner: ChunkScanner): Buffer {
  if (scanner.chunks <= 1)
    return raw.subarray(scanner.firstDataAt, scanner.firstDataAt + scanner.payloadBytes)
  const payload = Buffer.allocUnsafe(scanner.payloadBytes)
  // `raw` was within the limits when it arrived.
  new ChunkScanner(raw.length, raw.length, payload).feed(raw, 0, raw.length)
  return payload
}
