/**
 * The fast path of link resolution: from the bytes of an href to the bytes and the hash of a URL in one pass,
 * without a string in between. It takes links of plain characters to the page's own origin and to such as it
 * has met before; for all else it says so, and `LinkResolver` has it.
 */
import { LIMITS } from '../model/limits.js'
import { originOf, pathStart } from '../model/url.js'
import { HASH_SEED, hashText } from './link-set.js'

/** Where a byte stays as it is. '&' is looked at apart: it may begin a character reference. */
const Plain = { path: 1, query: 2 } as const
const PLAIN = new Uint8Array(256)
for (const c of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~!$()*+,;=@/.%')
  PLAIN[c.charCodeAt(0)] = Plain.path | Plain.query
PLAIN[0x27] = Plain.path
PLAIN[0x3a] = Plain.query
PLAIN[0x3f] = Plain.query

const BASE_CHARS = LIMITS.urlChars * 2
const TARGET_BYTES = BASE_CHARS + LIMITS.attributeBytes

/**
 * Other origins that the full parser leaves as they are, by hash; a newer one takes the place of an older.
 */
const settledOrigins: (Uint8Array | undefined)[] = Array.from({ length: 256 })
const ORIGIN_BYTES = 128

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 16)) & 255
}

export class PlainLinks {
  /** The URL read last: the first `length` bytes, and their hash. */
  target: Buffer
  length = 0
  hash = 0
  // Each begins with what such links share, so that only the rest is written.
  readonly #rooted = Buffer.allocUnsafe(TARGET_BYTES)
  readonly #relative = Buffer.allocUnsafe(TARGET_BYTES)
  readonly #climbing = Buffer.allocUnsafe(TARGET_BYTES)
  readonly #foreign = Buffer.allocUnsafe(TARGET_BYTES)
  readonly #page = Buffer.allocUnsafe(BASE_CHARS)
  #pageLength = 0
  #pageHash = 0
  #originLength = 0
  #originHash = 0
  #directoryLength = 0
  #directoryHash = 0
  #climbedLength = 0
  #climbedHash = 0

  constructor() {
    this.target = this.#rooted
  }

  /** Links are relative to `base` from now on: a normalised URL, or null when nothing is plain. */
  attach(base: string | null): void {
    this.#directoryLength = 0
    this.#climbedLength = 0
    if (base === null || base.length > BASE_CHARS) return
    const query = base.indexOf('?')
    const origin = originOf(base)
    // An empty query gets lost: see LinkResolver.
    const page = query === base.length - 1 ? base.slice(0, query) : base
    const directory = base.slice(0, base.lastIndexOf('/', query < 0 ? base.length : query) + 1)
    this.#pageLength = this.#page.write(page, 'latin1')
    this.#pageHash = hashText(page)
    this.#originLength = this.#rooted.write(origin, 'latin1')
    this.#originHash = hashText(origin)
    this.#directoryLength = this.#relative.write(directory, 'latin1')
    this.#directoryHash = hashText(directory)
  }

  /** Reads the href in `bytes` from `start` to `end`; false when it is not plain. */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    let i = this.#begin(bytes, start, end)
    if (i < 0) return false
    const target = this.target
    let length = this.length
    let hash = this.hash
    let part: number = Plain.path
    let previous = 0x2f
    for (; i < end; i++) {
      const c = bytes[i]!
      if ((PLAIN[c]! & part) === 0) {
        if (c === 0x23) break
        if (c === 0x3f) part = Plain.query
        else if (c === 0x26 && isAmpersand(bytes, i)) i += 4
        else return false
      } else if (previous === 0x2f && (c === 0x2e || c === 0x25)) return false
      previous = c
      target[length++] = c
      hash = Math.imul(hash ^ c, 0x01000193)
    }
    this.length = length
    this.hash = hash
    return true
  }

  /** Chooses what the URL begins with; returns where the rest begins in the href, -1 when it is not plain. */
  #begin(bytes: Uint8Array, start: number, end: number): number {
    if (this.#directoryLength === 0 || end - start > LIMITS.attributeBytes) return -1
    const first = bytes[start]!
    if (first === 0x23 || start === end) {
      this.target = this.#page
      this.length = this.#pageLength
      this.hash = this.#pageHash
      return start
    }
    if (first === 0x2f) return bytes[start + 1] === 0x2f ? -1 : this.#beginRooted(start)
    if (first === 0x2e) return this.#climb(bytes, start, end)
    if (first === 0x3f) return -1
    if (first === 0x68) {
      if (this.#isOwnOrigin(bytes, start)) return this.#beginRooted(start + this.#originLength)
      // http: or https:
      if (bytes[start + 4] === 0x3a || bytes[start + 5] === 0x3a) return this.#beginForeign(bytes, start, end)
    }
    this.target = this.#relative
    this.length = this.#directoryLength
    this.hash = this.#directoryHash
    return start
  }

  #beginRooted(rest: number): number {
    this.target = this.#rooted
    this.length = this.#originLength
    this.hash = this.#originHash
    return rest
  }

  #isOwnOrigin(bytes: Uint8Array, start: number): boolean {
    const length = this.#originLength
    for (let i = 0; i < length; i++) if (bytes[start + i] !== this.#rooted[i]) return false
    return bytes[start + length] === 0x2f
  }

  #beginForeign(bytes: Uint8Array, start: number, end: number): number {
    const bound = Math.min(end, start + ORIGIN_BYTES)
    let hash = HASH_SEED
    let slashes = 0
    let i = start
    for (; i < bound; i++) {
      const c = bytes[i]!
      if (c === 0x2f && ++slashes === 3) break
      this.#foreign[i - start] = c
      hash = Math.imul(hash ^ c, 0x01000193)
    }
    const known = settledOrigins[slotOf(hash)]
    if (i === bound || known === undefined || known.length !== i - start) return -1
    for (let k = 0; k < known.length; k++) if (this.#foreign[k] !== known[k]) return -1
    this.target = this.#foreign
    this.length = known.length
    this.hash = hash
    return i
  }

  /** Learns from the full parser: `url` is what the href at `start` stands for. */
  settle(bytes: Uint8Array, start: number, url: string): void {
    const slash = pathStart(url)
    if (bytes[start + slash] !== 0x2f || slash > ORIGIN_BYTES) return
    for (let i = 0; i < slash; i++) if (bytes[start + i] !== url.charCodeAt(i)) return
    const origin = originOf(url)
    settledOrigins[slotOf(hashText(origin))] = Uint8Array.from(Buffer.from(origin, 'latin1'))
  }

  /** `./` and `../` before the rest. */
  #climb(bytes: Uint8Array, start: number, end: number): number {
    let i = start
    let length = this.#directoryLength
    while (bytes[i] === 0x2e && i + 2 < end) {
      if (bytes[i + 1] === 0x2f) i += 2
      else if (bytes[i + 1] === 0x2e && bytes[i + 2] === 0x2f) {
        i += 3
        length = this.#parentLength(length)
      } else return -1
    }
    if (i >= end || bytes[i] === 0x2e || bytes[i] === 0x2f) return -1
    if (length !== this.#climbedLength) this.#climbTo(length)
    this.target = this.#climbing
    this.length = length
    this.hash = this.#climbedHash
    return i
  }

  #parentLength(length: number): number {
    let slash = length - 2
    while (this.#relative[slash] !== 0x2f) slash--
    return slash >= this.#originLength ? slash + 1 : length
  }

  /** Links climb as far as the one before them, mostly. */
  #climbTo(length: number): void {
    let hash = HASH_SEED
    for (let i = 0; i < length; i++) {
      const c = this.#relative[i]!
      this.#climbing[i] = c
      hash = Math.imul(hash ^ c, 0x01000193)
    }
    this.#climbedLength = length
    this.#climbedHash = hash
  }
}

/** `&amp;`, the one reference that links are full of. */
function isAmpersand(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 1] === 0x61 && bytes[at + 2] === 0x6d && bytes[at + 3] === 0x70 && bytes[at + 4] === 0x3b
}
