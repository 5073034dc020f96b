/**
 * Recognises names of tags and attributes while reading them: five bits per character in two 30-bit numbers,
 * so that one table lookup replaces a string and a Map. Names of up to twelve characters have distinct codes;
 * longer ones are also compared byte by byte.
 */

const MASK = 0x3fffffff
const SLOTS = 1_024
const OTHER = 31

/** Code of each byte of a name; 0 ends the name. The digits of h1 to h6 share a code. */
function nameCodes(terminators: string): Uint8Array {
  const codes = new Uint8Array(256).fill(OTHER)
  for (let c = 0; c < 26; c++) {
    codes[0x61 + c] = c + 1
    codes[0x41 + c] = c + 1
  }
  for (const c of '123456') codes[c.charCodeAt(0)] = 27
  codes[0x2d] = 28
  codes[0x3a] = 29
  for (const c of terminators) codes[c.charCodeAt(0)] = 0
  return codes
}

export const TAG_CODES = nameCodes('\t\n\f\r />')
export const ATTRIBUTE_CODES = nameCodes('\t\n\f\r />=')

/** A fixed set of names, each with a number; 0 stands for all other names. */
export class NameTable {
  /** Number of the name read last. */
  found = 0
  readonly #codes: Uint8Array
  readonly #names: readonly string[]
  readonly #numbers = new Uint8Array(SLOTS)
  readonly #lows = new Int32Array(SLOTS)
  readonly #highs = new Int32Array(SLOTS)
  readonly #lengths = new Uint8Array(SLOTS)

  /** The number of a name is its index in `names`; the first entry is unused. */
  constructor(names: readonly string[], codes: Uint8Array) {
    this.#names = names
    this.#codes = codes
    for (let number = 1; number < names.length; number++) this.#insert(names[number]!, number)
  }

  /** Reads the name at `from`, puts its number into `found`, and returns the end of the name. */
  read(bytes: Uint8Array, from: number): number {
    const codes = this.#codes
    // Any first character belongs to the name: `<a =b>` has an attribute called `=b`.
    let low = codes[bytes[from]!]! || OTHER
    let high = 0
    let i = from + 1
    for (let code = codes[bytes[i]!]!; code !== 0; code = codes[bytes[++i]!]!) {
      high = ((high << 5) | (low >>> 25)) & MASK
      low = ((low << 5) | code) & MASK
    }
    this.found = this.#find(low, high, bytes, from, i)
    return i
  }

  #find(low: number, high: number, bytes: Uint8Array, from: number, to: number): number {
    let slot = slotOf(low, high)
    for (;;) {
      const number = this.#numbers[slot]!
      if (number === 0) return 0
      if (this.#lows[slot] === low && this.#highs[slot] === high && this.#lengths[slot] === to - from)
        return to - from <= 12 || startsWithLetters(bytes, from, this.#names[number]!) ? number : 0
      slot = (slot + 1) & (SLOTS - 1)
    }
  }

  #insert(name: string, number: number): void {
    let low = 0
    let high = 0
    for (let i = 0; i < name.length; i++) {
      high = ((high << 5) | (low >>> 25)) & MASK
      low = ((low << 5) | this.#codes[name.charCodeAt(i)]!) & MASK
    }
    let slot = slotOf(low, high)
    while (this.#numbers[slot] !== 0) slot = (slot + 1) & (SLOTS - 1)
    this.#numbers[slot] = number
    this.#lows[slot] = low
    this.#highs[slot] = high
    this.#lengths[slot] = name.length
  }
}

function slotOf(low: number, high: number): number {
  return Math.imul(low ^ Math.imul(high, 0x2c1b3c6d), 0x9e3779b1) >>> 22
}

/** Whether the lower-case letters of `word` are at `from`, in either case. */
export function startsWithLetters(bytes: Uint8Array, from: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) if ((bytes[from + i]! | 0x20) !== word.charCodeAt(i)) return false
  return true
}
