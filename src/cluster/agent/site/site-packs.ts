/** The packs that hold something of a leased cell. */
import type { Lease } from '../../../model/index.js'

export class SitePacks {
  #uncommitted = 0
  #last: number

  constructor({ lastPack }: Lease) {
    this.#last = lastPack
  }

  /** Those that are open or being shipped. */
  get uncommitted(): number {
    return this.#uncommitted
  }

  /** Number of the last committed one. */
  get last(): number {
    return this.#last
  }

  joined(): void {
    this.#uncommitted++
  }

  dropped(): void {
    this.#uncommitted--
  }

  committed(): void {
    this.#last++
    this.#uncommitted--
  }
}
