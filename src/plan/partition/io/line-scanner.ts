/**
 * Numbers out of bytes, line by line, without a string per line. Comments (`%` to the end of the line) may
 * stand anywhere; a line that is only a comment does not count as a line of data. Tabs, runs of spaces, CRLF,
 * a byte order mark and a missing last newline are all fine.
 */
import { LINE_SCANNER_SHOWN_CHARS } from '../../limits.js'
import { inputError } from './input-file.js'

const NEWLINE = 10
const SPACE = 32
const PERCENT = 37
const ZERO = 48
const CARRIAGE_RETURN = 13
/** So many digits fit into 32 bits. */
const SHORT_DIGITS = 9
/** More digits than this may not be exact in a double; the slow way decides. */
const EXACT_DIGITS = 15

export class LineScanner {
  readonly file: string
  readonly #bytes: Uint8Array
  #at = 0
  #line = 0

  constructor(bytes: Uint8Array, file: string) {
    this.#bytes = bytes
    this.file = file
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.#at = 3
  }

  get byteCount(): number {
    return this.#bytes.length
  }

  /** How many tokens the file has, those of comments included: what may be allocated for its numbers. */
  countTokens(): number {
    const bytes = this.#bytes
    let count = 0
    let wasBlank = true
    for (let at = 0; at < bytes.length; at++) {
      const isBlank = bytes[at] <= SPACE
      if (wasBlank && !isBlank) count++
      wasBlank = isBlank
    }
    return count
  }

  /** The number of the line it stands on, from 1; 0 before the first. */
  get line(): number {
    return this.#line
  }

  /** Whether the file ends with a newline: behind it may stand an empty last line. */
  get endsWithNewline(): boolean {
    return this.#bytes.at(-1) === NEWLINE
  }

  /** Leaves the line it stands on and goes to the next one that is not only a comment; false at the end. */
  nextLine(): boolean {
    const bytes = this.#bytes
    let at = this.#line === 0 ? this.#at : this.#afterLine(this.#at)
    while (at < bytes.length) {
      this.#line++
      this.#at = at
      this.#skipBlanks()
      if (bytes[this.#at] !== PERCENT) return true
      at = this.#afterLine(this.#at)
    }
    this.#at = at
    return false
  }

  /** Goes to the next line with something on it; false at the end. */
  nextFilledLine(): boolean {
    while (this.nextLine()) if (this.hasMore()) return true
    return false
  }

  /** Whether another token stands on this line. */
  hasMore(): boolean {
    this.#skipBlanks()
    const byte = this.#bytes[this.#at]
    return byte !== undefined && byte !== NEWLINE && byte !== PERCENT
  }

  /** A whole number of at least 0. `what` names it in the complaint. */
  integer(what: string): number {
    const value = this.number(what)
    if (!Number.isSafeInteger(value)) this.fail(`${what} is ${value}; a whole number is wanted`)
    return value
  }

  /**
   * Puts the numbers that stand next on this line into `into`, from `count` on, and says how many it then
   * holds. It stops at the first that is more than a few digits and a space: `hasMore` tells whether
   * something is left.
   */
  shortIntegers(into: Uint32Array | Float64Array, count: number): number {
    const bytes = this.#bytes
    const end = bytes.length
    let at = this.#at
    let next = count
    for (;;) {
      while (at < end && bytes[at] === SPACE) at++
      const start = at
      let value = 0
      for (; at < end && bytes[at] >= ZERO && bytes[at] < ZERO + 10; at++)
        value = value * 10 + bytes[at] - ZERO
      const digits = at - start
      if (digits === 0 || digits > SHORT_DIGITS || (at < end && !isEndOfShort(bytes[at]))) {
        this.#at = start
        return next
      }
      into[next++] = value
    }
  }

  /** A whole number from -1 up, where -1 means none. */
  integerOrNone(what: string): number {
    if (!this.hasMore()) this.fail(`${what} is missing`)
    const bytes = this.#bytes
    const at = this.#at
    if (bytes[at] === 45 && bytes[at + 1] === ZERO + 1 && isBlank(bytes[at + 2])) {
      this.#at = at + 2
      return -1
    }
    return this.integer(what)
  }

  /** A finite number of at least 0. */
  number(what: string): number {
    if (!this.hasMore()) this.fail(`${what} is missing`)
    const bytes = this.#bytes
    const start = this.#at
    let at = start
    let value = 0
    for (; at < bytes.length; at++) {
      const digit = bytes[at] - ZERO
      if (digit < 0 || digit > 9) break
      value = value * 10 + digit
    }
    if (at - start > EXACT_DIGITS || at === start || !isBlank(bytes[at])) return this.#slowNumber(what)
    this.#at = at
    return value
  }

  /** A finite number, negative ones included. */
  signedNumber(what: string): number {
    if (!this.hasMore()) this.fail(`${what} is missing`)
    return this.#slowNumber(what, Number.MIN_SAFE_INTEGER)
  }

  /** Complains about the line it stands on. */
  fail(complaint: string, line = this.#line): never {
    throw inputError(this.file, line, complaint)
  }

  #slowNumber(what: string, least = 0): number {
    const start = this.#at
    let end = start
    while (!isBlank(this.#bytes[end])) end++
    const text = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + start, end - start).toString(
      'latin1',
    )
    const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
    const shown =
      text.length > LINE_SCANNER_SHOWN_CHARS ? `${text.slice(0, LINE_SCANNER_SHOWN_CHARS)}…` : text
    if (Number.isNaN(value)) this.fail(`${what} is ${JSON.stringify(shown)}, which is not a number`)
    if (value < least)
      this.fail(`${what} is ${shown}${least === 0 ? '; it cannot be negative' : ', which is too low'}`)
    if (value > Number.MAX_SAFE_INTEGER) this.fail(`${what} is ${shown}, which is too large`)
    this.#at = end
    return value
  }

  #skipBlanks(): void {
    const bytes = this.#bytes
    let at = this.#at
    while (at < bytes.length && bytes[at] <= SPACE && bytes[at] !== NEWLINE && bytes[at] !== 0) at++
    this.#at = at
  }

  #afterLine(from: number): number {
    if (this.#bytes[from] === NEWLINE) return from + 1
    const newline = this.#bytes.indexOf(NEWLINE, from)
    return newline === -1 ? this.#bytes.length : newline + 1
  }
}

function isEndOfShort(byte: number): boolean {
  return byte === SPACE || byte === NEWLINE || byte === CARRIAGE_RETURN
}

/** What ends a token: white space, a comment, the end of the file. */
function isBlank(byte: number | undefined): boolean {
  return byte === undefined || (byte <= SPACE && byte !== 0) || byte === PERCENT
}
