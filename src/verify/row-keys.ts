/** A set of table rows by two of their columns, as fingerprints; it spills to disk. */

import { fingerprint, takeFingerprint } from '../model/bytes/index.js'
import type { FrontierSpace } from '../page/frontier/index.js'
import { SeenSet } from '../page/frontier/seen/index.js'

export class RowKeys {
  readonly #keys: SeenSet

  constructor(space: FrontierSpace) {
    this.#keys = new SeenSet(space.seen)
  }

  has(url: string, other: string): boolean {
    takeFingerprint(`${url} ${other}`)
    return this.#keys.has(fingerprint.low, fingerprint.high)
  }

  /** True if it is new. */
  add(url: string, other: string): boolean {
    takeFingerprint(`${url} ${other}`)
    return this.#keys.add(fingerprint.low, fingerprint.high)
  }

  close(): void {
    this.#keys.close()
  }
}
