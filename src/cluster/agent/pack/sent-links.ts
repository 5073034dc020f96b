import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import { FingerprintTable } from '../../../page/frontier/seen/index.js'
import { Slab } from '../../../page/frontier/spill/index.js'

const GENERATION_URLS = 150_000

/**
 * URLs that are durable in another cell's inbox, so that a popular link is sent once and not from every page.
 * A URL enters only when its pack is committed. Forgetting is harmless (the cell's seen-set drops repeats),
 * so the memory is two generations of bounded size, and what one gives up the next one uses.
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
    // Whole from the start: a table that grows takes the memory of two.
    this.#young = new FingerprintTable(this.#slab, this.#salt, GENERATION_URLS)
  }

  /** The ledger may have lost what we sent: send everything again. */
  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }
}
