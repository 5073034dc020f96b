/**
 * The resolved links of a page in the order they were found, each URL once per kind. A table of hashes
 * instead of a Set, because a link that repeats another is then recognised by its bytes, and no string is
 * made for it.
 */
import { LIMITS } from '../model/limits.js'

export const HASH_SEED = 0x811c9dc5 | 0

/** FNV-1a of a URL; the code that writes URLs computes the same on its way. */
export function hashText(text: string): number {
  let hash = HASH_SEED
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}

/** A page could choose its links so that their hashes collide: past this many looks a Set takes over. */
const PROBES = 64
/** Slots to a link: few enough collisions that the Set stays unused. */
const SPARSE = 4

export class LinkSet {
  links: string[] = []
  #kinds = new Uint8Array(256)
  #hashes = new Int32Array(256)
  /** Index of a link, plus one. */
  #slots = new Int32Array(1_024)
  #mask = 0
  #crowded: Set<string> | null = null
  #chars = 0

  /** Begins a new page with at most `expected` links. */
  reset(expected: number): void {
    const capacity = Math.min(expected, LIMITS.linksPerPage)
    const slots = 1 << (32 - Math.clz32(capacity * SPARSE))
    if (this.#kinds.length < capacity) {
      this.#kinds = new Uint8Array(capacity)
      this.#hashes = new Int32Array(capacity)
    }
    if (this.#slots.length < slots) this.#slots = new Int32Array(slots)
    else this.#slots.fill(0, 0, slots)
    this.#mask = slots - 1
    this.#crowded = null
    this.#chars = 0
    this.links = []
  }

  get full(): boolean {
    return this.links.length >= LIMITS.linksPerPage || this.#chars > LIMITS.linkCharsPerPage
  }

  /** Adds the URL in the first `length` bytes of `bytes`, whose hash is `hash`. */
  addBytes(bytes: Buffer, length: number, hash: number, kind: number): void {
    const mixed = mix(hash, kind)
    let slot = mixed & this.#mask
    for (let probes = 0; probes < PROBES; probes++) {
      const index = this.#slots[slot]! - 1
      if (index < 0) {
        this.#append(bytes.latin1Slice(0, length), mixed, kind, slot)
        return
      }
      if (this.#isAt(index, mixed, kind) && isText(bytes, length, this.links[index]!)) return
      slot = (slot + 1) & this.#mask
    }
    this.#addCrowded(bytes.latin1Slice(0, length), kind)
  }

  addText(url: string, kind: number): void {
    const mixed = mix(hashText(url), kind)
    let slot = mixed & this.#mask
    for (let probes = 0; probes < PROBES; probes++) {
      const index = this.#slots[slot]! - 1
      if (index < 0) {
        this.#append(url, mixed, kind, slot)
        return
      }
      if (this.#isAt(index, mixed, kind) && this.links[index] === url) return
      slot = (slot + 1) & this.#mask
    }
    this.#addCrowded(url, kind)
  }

  /** The kind of each link, in an array of its own. */
  kinds(): Uint8Array {
    return this.#kinds.slice(0, this.links.length)
  }

  #isAt(index: number, mixed: number, kind: number): boolean {
    return this.#hashes[index] === mixed && this.#kinds[index] === kind
  }

  #append(url: string, mixed: number, kind: number, slot: number): void {
    if (this.full) return
    this.#hashes[this.links.length] = mixed
    this.#kinds[this.links.length] = kind
    this.#chars += url.length
    this.#slots[slot] = this.links.push(url)
  }

  #addCrowded(url: string, kind: number): void {
    this.#crowded ??= new Set()
    const key = `${kind} ${url}`
    if (this.#crowded.has(key) || this.full) return
    this.#crowded.add(key)
    this.#kinds[this.links.length] = kind
    this.#chars += url.length
    this.links.push(url)
  }
}

function mix(hash: number, kind: number): number {
  const mixed = Math.imul(hash ^ kind, 0x85ebca6b)
  return mixed ^ (mixed >>> 15)
}

function isText(bytes: Uint8Array, length: number, text: string): boolean {
  if (text.length !== length) return false
  // From the end, where URLs of one page differ.
  for (let i = length - 1; i >= 0; i--) if (bytes[i] !== text.charCodeAt(i)) return false
  return true
}
