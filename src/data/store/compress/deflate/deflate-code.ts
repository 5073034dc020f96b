/**
 * A Huffman code for deflate, made from how often symbols were used, and the block header that announces it.
 */
import { codeBits, codeLengths } from './huffman.js'

export const LITERAL_SYMBOLS = 286
export const DISTANCE_SYMBOLS = 30

/** Smallest length of each length symbol, and its extra bits (RFC 1951, 3.2.5). */
export const LENGTH_BASES = steps(29, 3, symbol => (symbol < 8 ? 0 : (symbol >> 2) - 1))
/** The last length has a symbol of its own. */
LENGTH_BASES.bases[28] = 258
LENGTH_BASES.extras[28] = 0
export const DISTANCE_BASES = steps(30, 1, symbol => (symbol < 4 ? 0 : (symbol >> 1) - 1))

/** Longest codes: a length and a distance with their extra bits must fit the compressor's bit buffer. */
const LITERAL_BITS = 14
const DISTANCE_BITS = 12
/** The order in which a header lists the lengths of its own code, and the symbol for "the same again". */
const HEADER_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
const REPEAT = 16

export interface DeflateCode {
  readonly literalLengths: Uint8Array
  readonly literalBits: Uint16Array
  readonly distanceLengths: Uint8Array
  readonly distanceBits: Uint16Array
  /** The header of a last block: whole bytes, the bits after them, and how many those are. */
  readonly header: { readonly bytes: Uint8Array; readonly lastBits: number; readonly lastCount: number }
}

export function deflateCode(literals: ArrayLike<number>, distances: ArrayLike<number>): DeflateCode {
  const literalLengths = codeLengths(literals, LITERAL_BITS)
  const distanceLengths = codeLengths(distances, DISTANCE_BITS)
  return {
    literalLengths,
    literalBits: codeBits(literalLengths),
    distanceLengths,
    distanceBits: codeBits(distanceLengths),
    header: headerOf(literalLengths, distanceLengths),
  }
}

function headerOf(literals: Uint8Array, distances: Uint8Array): DeflateCode['header'] {
  const symbols = repeatsShortened([...literals, ...distances])
  const counts = new Float64Array(19)
  for (const { symbol } of symbols) counts[symbol]!++
  const lengths = codeLengths(counts, 7)
  const codes = codeBits(lengths)
  const bits = new BitList()
  bits.put(1, 1)
  bits.put(2, 2)
  bits.put(literals.length - 257, 5)
  bits.put(distances.length - 1, 5)
  bits.put(HEADER_ORDER.length - 4, 4)
  for (const symbol of HEADER_ORDER) bits.put(lengths[symbol]!, 3)
  for (const { symbol, again } of symbols) {
    bits.put(codes[symbol]!, lengths[symbol]!)
    if (symbol === REPEAT) bits.put(again - 3, 2)
  }
  return bits.toHeader()
}

/** Runs of the same length, three to six at a time, become one symbol. */
function repeatsShortened(lengths: readonly number[]): { symbol: number; again: number }[] {
  const symbols: { symbol: number; again: number }[] = []
  for (let i = 0; i < lengths.length; ) {
    symbols.push({ symbol: lengths[i]!, again: 0 })
    let end = i + 1
    while (end < lengths.length && lengths[end] === lengths[i]) end++
    for (i++; end - i >= 3; ) {
      const again = Math.min(6, end - i)
      symbols.push({ symbol: REPEAT, again })
      i += again
    }
  }
  return symbols
}

class BitList {
  readonly #bits: number[] = []

  put(value: number, count: number): void {
    for (let i = 0; i < count; i++) this.#bits.push((value >> i) & 1)
  }

  toHeader(): DeflateCode['header'] {
    const lastCount = this.#bits.length % 8
    const bytes = new Uint8Array(this.#bits.length >> 3)
    const byteAt = (at: number) =>
      this.#bits.slice(at * 8, at * 8 + 8).reduce((byte, bit, i) => byte | (bit << i), 0)
    for (let i = 0; i < bytes.length; i++) bytes[i] = byteAt(i)
    return { bytes, lastBits: byteAt(bytes.length), lastCount }
  }
}

function steps(count: number, first: number, extraOf: (symbol: number) => number) {
  const bases = new Uint16Array(count)
  const extras = Uint8Array.from(bases, (_, symbol) => extraOf(symbol))
  let base = first
  for (let symbol = 0; symbol < count; symbol++) {
    bases[symbol] = base
    base += 1 << extras[symbol]!
  }
  return { bases, extras }
}
