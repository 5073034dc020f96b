/**
 * The topics of a site as a count sketch: 128 small numbers. The hash of a word selects one of them and a
 * sign, and the number changes by one for each page with the word. The vectors of sites with the same words
 * point in similar directions, the sketch of two halves is their sum, and the words cannot be recovered.
 */

import { LEAST_WORD_BYTES, MOST_WORD_BYTES, WORD_SKETCH_READ_BYTES } from '../limits.js'

export const SKETCH_NUMBERS = 128
const LARGEST = 127

const BASIS = 0x811c9dc5 | 0
const PRIME = 0x01000193
const PLACES_SEEN = 4_096

/** Lower case of the letters among the ASCII bytes, 0 for the rest: numbers are dates and prices. */
const LETTERS = Uint8Array.from({ length: 128 }, (_, byte) => {
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x7a && byte >= 0x41 ? lower : 0
})

/** The last text with a word, by the word's hash: each word counts once per text. */
const metIn = new Uint32Array(PLACES_SEEN)
let texts = 0

export class WordSketch {
  readonly #sums = new Int32Array(SKETCH_NUMBERS)

  /** Adds the words of the UTF-8 text from `start` to `end`, at most `WORD_SKETCH_READ_BYTES`. */
  add(bytes: Uint8Array, start: number, end: number): void {
    const to = Math.min(end, start + WORD_SKETCH_READ_BYTES)
    texts = (texts + 1) >>> 0
    let hash = BASIS
    let length = 0
    /** The character before, in scripts without spaces: there pairs of characters count as words. */
    let before = 0
    for (let at = start; at < to; at++) {
      const byte = bytes[at]
      const letter = byte < 0x80 ? LETTERS[byte] : byte
      if (letter !== 0 && (byte < 0xe0 || byte === 0xe1)) {
        hash = Math.imul(hash ^ letter, PRIME)
        length++
        before = 0
        continue
      }
      if (length >= LEAST_WORD_BYTES && length <= MOST_WORD_BYTES) this.#count(hash)
      hash = BASIS
      length = 0
      const character = byte < 0xe0 ? 0 : wholeCharacter(bytes, at)
      if (before !== 0 && character !== 0) this.#count(Math.imul(before, PRIME) ^ character)
      before = character
      if (byte >= 0xe0) at += byte >= 0xf0 ? 3 : 2
    }
    // A word that is cut off does not count.
    if (to === end && length >= LEAST_WORD_BYTES && length <= MOST_WORD_BYTES) this.#count(hash)
  }

  /** The scaled vector as 128 signed bytes in base64; empty without words. */
  toString(): string {
    return written(this.#sums)
  }

  #count(hash: number): void {
    let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    mixed ^= mixed >>> 16
    const seen = (mixed >>> 8) % PLACES_SEEN
    if (metIn[seen] === texts) return
    metIn[seen] = texts
    this.#sums[mixed & (SKETCH_NUMBERS - 1)] += (mixed >>> 31) * 2 - 1
  }
}

/** Null if `text` is not a sketch. */
export function readSketch(text: string): Int8Array | null {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length !== SKETCH_NUMBERS) return null
  return Int8Array.from(bytes, byte => (byte << 24) >> 24)
}

/** The sum of two sketches, each with the same weight. */
export function joinSketches(a: string, b: string): string {
  const [first, second] = [readSketch(a), readSketch(b)]
  if (first === null || second === null) return first === null ? b : a
  return written(Int32Array.from(first, (number, i) => number + second[i]))
}

function written(sums: Int32Array): string {
  let largest = 0
  for (let i = 0; i < SKETCH_NUMBERS; i++) largest = Math.max(largest, Math.abs(sums[i]))
  if (largest === 0) return ''
  const bytes = Buffer.allocUnsafe(SKETCH_NUMBERS)
  for (let i = 0; i < SKETCH_NUMBERS; i++) bytes[i] = Math.round((sums[i] * LARGEST) / largest)
  return bytes.toString('base64')
}

/** A character of three bytes (Chinese, Japanese, Korean, Thai, scripts of India); 0 for symbols. */
function wholeCharacter(bytes: Uint8Array, at: number): number {
  const [first, second, third] = [bytes[at], bytes[at + 1], bytes[at + 2]]
  const isSign = first >= 0xef || first === 0xe2 || (first === 0xe3 && second === 0x80)
  return isSign ? 0 : (first << 16) | (second << 8) | third
}
