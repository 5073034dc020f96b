/**
 * The distinct links of a page (each URL once per kind) in the order they were found. A table of
 * fingerprints, not a Set, so that a repeated link is recognised before a string is made for it.
 */
import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import { LIMITS } from '../../../model/index.js'

/** Links chosen to collide could make a search long: after this many probes a Set takes over. */
const PROBES = 64
/** Slots per link: with so few collisions the Set stays unused. */
const SPARSE = 4

export class LinkSet {
  /** The listed links; links that the crawl knows are only counted. */
  links: string[] = []
  #listedKinds = new Uint8Array(256)
  #count = 0
  #lows = new Int32Array(256)
  #highs = new Int32Array(256)
  #kinds = new Uint8Array(256)
  /** Index of a link plus one; 0 is free. */
  #slots = new Int32Array(1_024)
  #mask = 0
  #crowded: Set<string> | null = null
  #chars = 0

  /** Starts a new page with at most `expected` links. */
  reset(expected: number): void {
    const capacity = Math.min(expected, LIMITS.linksPerPage)
    const slots = 1 << (32 - Math.clz32(capacity * SPARSE))
    if (this.#kinds.length < capacity) {
      this.#listedKinds = new Uint8Array(capacity)
      this.#kinds = new Uint8Array(capacity)
      this.#lows = new Int32Array(capacity)
      this.#highs = new Int32Array(capacity)
    }
    if (this.#slots.length < slots) this.#slots = new Int32Array(slots)
    else this.#slots.fill(0, 0, slots)
    this.#mask = slots - 1
    this.#crowded = null
    this.#chars = 0
    this.#count = 0
    this.links = []
  }

  /** Distinct links, listed or not. */
  get count(): number {
    return this.#count
  }

  get full(): boolean {
    return this.#count >= LIMITS.linksPerPage || this.#chars > LIMITS.linkCharsPerPage
  }

  /**
   * Counts the link with the fingerprint last taken; false if it repeats another. Call only while not `full`.
   */
  add(kind: number): boolean {
    const low = fingerprint.low | 0
    const high = fingerprint.high | 0
    let slot = (low ^ kind) & this.#mask
    for (let probes = 0; probes < PROBES; probes++) {
      const index = this.#slots[slot]! - 1
      if (index < 0) {
        this.#lows[this.#count] = low
        this.#highs[this.#count] = high
        this.#kinds[this.#count] = kind
        this.#slots[slot] = ++this.#count
        return true
      }
      if (this.#lows[index] === low && this.#highs[index] === high && this.#kinds[index] === kind)
        return false
      slot = (slot + 1) & this.#mask
    }
    return this.#addCrowded(low, high, kind)
  }

  /** Lists the link counted last. */
  list(url: string, kind: number): void {
    this.#chars += url.length
    this.#listedKinds[this.links.length] = kind
    this.links.push(url)
  }

  addText(url: string, kind: number): void {
    if (this.full) return
    takeFingerprint(url)
    if (this.add(kind)) this.list(url, kind)
  }

  /** A copy of the kinds of the listed links. */
  kinds(): Uint8Array {
    return this.#listedKinds.slice(0, this.links.length)
  }

  #addCrowded(low: number, high: number, kind: number): boolean {
    this.#crowded ??= new Set()
    const key = `${kind} ${low} ${high}`
    if (this.#crowded.has(key)) return false
    this.#crowded.add(key)
    this.#count++
    return true
  }
}
