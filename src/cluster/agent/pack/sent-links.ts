import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import { FingerprintTable } from '../../../page/frontier/seen/index.js'
import { Slab } from '../../../page/frontier/spill/index.js'
import { GENERATION_URLS } from '../../limits.js'

/**
 * URLs that are durable in the inbox of another cell, so that a popular link is sent once and not from every
 * page. A URL is added when its pack is committed. Only two generations of bounded size are kept. A forgotten
 * URL is sent again, and the seen-set of its cell drops the repeat.
 */
export class SentLinks {
  readonly #slab = new Slab()
  readonly #salt: number
  #young: FingerprintTable
  #old: FingerprintTable

  /** `salt`: any 32-bit number the web cannot know. */
  constructor(salt: number) {
    this.#salt = salt
    this.#young = new FingerprintTable(this.#slab, salt)
    this.#old = new FingerprintTable(this.#slab, salt)
  }

  has(url: string): boolean {
    takeFingerprint(url)
    return this.hasFingerprint(fingerprint.low, fingerprint.high)
  }

  hasFingerprint(low: number, high: number): boolean {
    return this.#young.has(low, high) || this.#old.has(low, high)
  }

  add(url: string): void {
    takeFingerprint(url)
    this.#young.add(fingerprint.low, fingerprint.high)
    if (this.#young.size < GENERATION_URLS) return
    this.#old.clear()
    this.#old = this.#young
    // Allocated at full size, because growing a table needs the memory of two.
    this.#young = new FingerprintTable(this.#slab, this.#salt, GENERATION_URLS)
  }

  /** Call this when the ledger may have lost links: all links are then sent again. */
  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }
}
