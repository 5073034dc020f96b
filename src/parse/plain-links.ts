/**
 * The fast path of link resolution: from the bytes of an href to the bytes and the fingerprint of a URL in one pass,
 * without a string in between. It takes links of plain characters to the page's own origin and to such as it
 * has met before; for all else it says so, and `LinkResolver` has it.
 */
import { finishFingerprint, LANE_A, stepA, stepB } from '../model/fingerprint.js'
import { LIMITS } from '../model/limits.js'
import { originOf, pathStart } from '../model/url.js'
import { Beginning, begins, HTTP, HTTPS, isSame } from './beginning.js'

/** Where a byte stays as it is. '&' is looked at apart: it may begin a character reference. */
const Plain = { path: 1, query: 2 } as const
const PLAIN = new Uint8Array(256)
for (const c of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~!$()*+,;=@/.%')
  PLAIN[c.charCodeAt(0)] = Plain.path | Plain.query
PLAIN[0x27] = Plain.path
PLAIN[0x3a] = Plain.query
PLAIN[0x3f] = Plain.query

const LETTER_OR_DIGIT = new Uint8Array(256)
for (const c of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789')
  LETTER_OR_DIGIT[c.charCodeAt(0)] = 1

const BASE_CHARS = LIMITS.urlChars * 2
/** Every byte of a value may become three. */
const TARGET_BYTES = BASE_CHARS + 3 * LIMITS.attributeBytes

const ORIGINS = 1_024
const HEX = '0123456789ABCDEF'

/** Other origins that the full parser leaves as they are; a newer one takes the place of an older. */
const settledOrigins: (Uint8Array | undefined)[] = Array.from({ length: ORIGINS })
const ORIGIN_BYTES = 128

function slotOf(lane: number): number {
  return (lane ^ (lane >>> 16)) & (ORIGINS - 1)
}

/** What `read` found. `notHttp`: a link that leads to nothing that can be crawled, as `mailto:` does. */
export const Read = { odd: 0, plain: 1, notHttp: 2 } as const
type ReadResult = (typeof Read)[keyof typeof Read]

export class PlainLinks {
  /** The URL read last: the first `length` bytes. */
  target: Buffer
  length = 0
  /** It belongs to the base's origin. */
  isOwn = true
  readonly #rooted = new Beginning(TARGET_BYTES)
  readonly #relative = new Beginning(TARGET_BYTES)
  readonly #climbing = new Beginning(TARGET_BYTES)
  readonly #foreign = new Beginning(TARGET_BYTES)
  readonly #page = new Beginning(BASE_CHARS)
  #beginning = this.#rooted
  #ownQueries = false

  constructor() {
    this.target = this.#rooted.bytes
  }

  /**
   * Links are relative to `base` from now on: a normalised URL, or null when nothing is plain. With `ownQueries` letters
   * in a query are sent in the encoding of the page, and are not plain.
   */
  attach(base: string | null, ownQueries: boolean): void {
    this.#ownQueries = ownQueries
    this.#relative.length = 0
    this.#climbing.length = 0
    if (base === null || base.length > BASE_CHARS) return
    const query = base.indexOf('?')
    // An empty query gets lost: see LinkResolver.
    this.#page.set(query === base.length - 1 ? base.slice(0, query) : base)
    this.#rooted.set(originOf(base))
    this.#relative.set(base.slice(0, base.lastIndexOf('/', query < 0 ? base.length : query) + 1))
  }

  /** Reads the href in `bytes` from `from` to `to` and takes its fingerprint, unless it is odd. */
  read(bytes: Uint8Array, from: number, to: number): ReadResult {
    let start = from
    let end = to
    while (start < end && isEdge(bytes[start]!)) start++
    while (start < end && isEdge(bytes[end - 1]!)) end--
    let i = this.#begin(bytes, start, end)
    if (i < 0) return Read.odd
    const beginning = this.#beginning
    const target = beginning.bytes
    let length = beginning.length
    let a = beginning.a
    let b = beginning.b
    let part: number = Plain.path
    let previous = 0x2f
    for (; i < end; i++) {
      let c = bytes[i]!
      if ((PLAIN[c]! & part) === 0) {
        if (c === 0x23) break
        if (c === 0x3f) part = Plain.query
        else if (c === 0x26) {
          const reference = ampersandBytes(bytes, i, end)
          if (reference === 0) return Read.odd
          i += reference - 1
        } else if (c === 0x3a && beginning === this.#relative)
          return isOtherScheme(bytes, start, i) ? Read.notHttp : Read.odd
        else if (c === 0x20 || c > 0x7f) {
          if (this.#ownQueries && part === Plain.query) return Read.odd
          // Written as %XX, the last of which is then like any other character.
          const high = HEX.charCodeAt(c >> 4)
          target[length++] = 0x25
          a = stepA(a, 0x25)
          b = stepB(b, 0x25, a)
          target[length++] = high
          a = stepA(a, high)
          b = stepB(b, high, a)
          c = HEX.charCodeAt(c & 15)
        } else return Read.odd
      } else if (previous === 0x2f && (c === 0x2e || c === 0x25)) return Read.odd
      previous = c
      target[length++] = c
      a = stepA(a, c)
      b = stepB(b, c, a)
    }
    this.target = target
    this.length = length
    finishFingerprint(a, b, length)
    return Read.plain
  }

  /** Chooses what the URL begins with; returns where the rest begins in the href, -1 when it is not plain. */
  #begin(bytes: Uint8Array, start: number, end: number): number {
    if (this.#relative.length === 0 || end - start > LIMITS.attributeBytes) return -1
    this.isOwn = true
    const first = bytes[start]!
    if (first === 0x23 || start === end) {
      this.#beginning = this.#page
      return start
    }
    if (first === 0x2f) {
      if (bytes[start + 1] !== 0x2f) return this.#beginRooted(start)
      return this.#beginForeign(this.#rooted.bytes[4] === 0x73 ? HTTPS : HTTP, bytes, start + 2, end)
    }
    if (first === 0x2e) return this.#climb(bytes, start, end)
    if (first === 0x3f) return -1
    if ((first | 0x20) === 0x68) {
      if (this.#isOwnOrigin(bytes, start)) return this.#beginRooted(start + this.#rooted.length)
      if (begins(bytes, start, HTTP)) return this.#beginForeign(HTTP, bytes, start + HTTP.length, end)
      if (begins(bytes, start, HTTPS)) return this.#beginForeign(HTTPS, bytes, start + HTTPS.length, end)
    }
    this.#beginning = this.#relative
    return start
  }

  #beginRooted(rest: number): number {
    this.#beginning = this.#rooted
    return rest
  }

  #isOwnOrigin(bytes: Uint8Array, start: number): boolean {
    const { bytes: origin, length } = this.#rooted
    for (let i = 0; i < length; i++) if (bytes[start + i] !== origin[i]) return false
    return bytes[start + length] === 0x2f
  }

  /** The host begins at `start`; only one that was met before is taken. */
  #beginForeign(scheme: Beginning, bytes: Uint8Array, start: number, end: number): number {
    const bound = Math.min(end, start + ORIGIN_BYTES - scheme.length)
    const foreign = this.#foreign
    let { a, b, length } = scheme
    for (let i = 0; i < length; i++) foreign.bytes[i] = scheme.bytes[i]!
    let i = start
    for (; i < bound; i++) {
      const c = bytes[i]!
      if (c === 0x2f) break
      foreign.bytes[length++] = c
      a = stepA(a, c)
      b = stepB(b, c, a)
    }
    if (i === bound) return -1
    if (isSame(this.#rooted.bytes, this.#rooted.length, foreign.bytes, length)) return this.#beginRooted(i)
    const known = settledOrigins[slotOf(a)]
    if (known === undefined || !isSame(known, known.length, foreign.bytes, length)) return -1
    foreign.length = length
    foreign.a = a
    foreign.b = b
    this.#beginning = foreign
    this.isOwn = false
    return i
  }

  /** Learns from the full parser: `url` is what the href at `start` stands for. */
  settle(bytes: Uint8Array, start: number, url: string): void {
    const slash = pathStart(url)
    if (bytes[start + slash] !== 0x2f || slash > ORIGIN_BYTES) return
    let a = LANE_A
    for (let i = 0; i < slash; i++) {
      if (bytes[start + i] !== url.charCodeAt(i)) return
      a = stepA(a, bytes[start + i]!)
    }
    settledOrigins[slotOf(a)] = Uint8Array.from(bytes.subarray(start, start + slash))
  }

  /** `./` and `../` before the rest. */
  #climb(bytes: Uint8Array, start: number, end: number): number {
    let i = start
    let length = this.#relative.length
    while (bytes[i] === 0x2e && i + 2 < end) {
      if (bytes[i + 1] === 0x2f) i += 2
      else if (bytes[i + 1] === 0x2e && bytes[i + 2] === 0x2f) {
        i += 3
        length = this.#parentLength(length)
      } else return -1
    }
    if (i < end && (bytes[i] === 0x2e || bytes[i] === 0x2f)) return -1
    // Links climb as far as the one before them, mostly.
    if (length !== this.#climbing.length) this.#climbing.take(this.#relative.bytes, length)
    this.#beginning = this.#climbing
    return i
  }

  #parentLength(length: number): number {
    let slash = length - 2
    while (this.#relative.bytes[slash] !== 0x2f) slash--
    return slash >= this.#rooted.length ? slash + 1 : length
  }
}

/** What the URL parser cuts off at both ends. A NUL is not: to it that is U+FFFD already. */
function isEdge(c: number): boolean {
  return c <= 0x20 && c !== 0
}

/**
 * How many bytes at `at` stand for one `&`: a reference to it, or the `&` itself where a name and `=` follow, as in
 * `?a=1&b=2`: there it begins no reference, whatever the name. 0 when it may mean something else.
 */
function ampersandBytes(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at + 1] === 0x23) return numberedAmpersand(bytes, at + 2)
  let i = at + 1
  while (i < end && LETTER_OR_DIGIT[bytes[i]!] === 1) i++
  if (i > at + 1 && i < end && bytes[i] === 0x3d) return 1
  const isNamed = i === at + 4 && bytes[at + 1] === 0x61 && bytes[at + 2] === 0x6d && bytes[at + 3] === 0x70
  return isNamed && bytes[i] === 0x3b ? 5 : 0
}

/** `&#38;` and `&#x26;` from behind the `#` on. */
function numberedAmpersand(bytes: Uint8Array, at: number): number {
  if (bytes[at] === 0x33 && bytes[at + 1] === 0x38 && bytes[at + 2] === 0x3b) return 5
  const isHex = bytes[at] === 0x78 || bytes[at] === 0x58
  return isHex && bytes[at + 1] === 0x32 && bytes[at + 2] === 0x36 && bytes[at + 3] === 0x3b ? 6 : 0
}

/** Whether a scheme other than http and https ends at `colon`: `mailto:`, `javascript:`. */
function isOtherScheme(bytes: Uint8Array, start: number, colon: number): boolean {
  for (let i = start; i < colon; i++) {
    const c = bytes[i]!
    if (LETTER_OR_DIGIT[c] === 0 && (i === start || (c !== 0x2b && c !== 0x2d && c !== 0x2e))) return false
  }
  const first = bytes[start]! | 0x20
  // One that begins like http is left to the full parser.
  return colon > start && first >= 0x61 && first <= 0x7a && first !== 0x68
}
