import { FingerprintSet } from '../frontier/index.js'
import { fingerprint, takeFingerprint } from '../model/fingerprint.js'

const GENERATION_URLS = 250_000

/**
 * URLs that are durable in another cell's inbox, so that a popular link is sent once and not from every page. A URL
 * enters only when its pack is committed. Forgetting is harmless (the cell's seen-set drops repeats), so the memory is
 * two generations of bounded size.
 */
export class SentLinks {
  #young = new FingerprintSet()
  #old = new FingerprintSet()

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
    this.#old = this.#young
    this.#young = new FingerprintSet()
  }

  /** The ledger may have lost what we sent: send everything again. */
  clear(): void {
    this.#young = new FingerprintSet()
    this.#old = new FingerprintSet()
  }
}
