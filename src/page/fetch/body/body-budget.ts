/**
 * Bounds the memory of all bodies in flight (P11). A body that would exceed the bound waits, its socket
 * paused, until another is done. The oldest never waits, so that one always makes progress; it may exceed the
 * bound by its own size.
 */
import { BufferPool } from './buffer-pool.js'

/** A body in flight. */
export interface Claim {
  /** Bytes counted for this body. */
  heldBytes: number
  /** Bytes for which it waits; 0 if it does not wait. */
  wantedBytes: number
  /** Ends the wait: `wantedBytes` are now counted. */
  granted(): void
}

export class BodyBudget {
  /** Supplies the memory of the bodies. */
  readonly pool = new BufferPool()
  readonly #capBytes: number
  readonly #claims = new Set<Claim>()
  readonly #waiting = new Set<Claim>()
  #heldBytes = 0

  constructor(capBytes: number) {
    this.#capBytes = capBytes
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  /** True while the bodies exceed the bound, so that decoding has to wait. */
  get isFull(): boolean {
    return this.#heldBytes > this.#capBytes
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Counts what the claim already holds; its age starts here. */
  enter(claim: Claim): void {
    this.#claims.add(claim)
    this.#heldBytes += claim.heldBytes
  }

  /** True if the claim may grow by `bytes` now; otherwise it waits for `granted`. */
  ask(claim: Claim, bytes: number): boolean {
    if (this.#heldBytes + bytes <= this.#capBytes || this.#oldest() === claim) {
      this.#count(claim, bytes)
      return true
    }
    claim.wantedBytes = bytes
    this.#waiting.add(claim)
    return false
  }

  /** Counts growth that cannot wait; a negative number returns bytes. */
  force(claim: Claim, bytes: number): void {
    this.#count(claim, bytes)
    if (bytes < 0) this.#wake()
  }

  leave(claim: Claim): void {
    if (!this.#claims.delete(claim)) return
    this.#waiting.delete(claim)
    this.#heldBytes -= claim.heldBytes
    claim.heldBytes = 0
    this.#wake()
  }

  #wake(): void {
    const oldest = this.#oldest()
    if (oldest !== undefined && this.#waiting.has(oldest)) this.#grant(oldest)
    for (const claim of this.#waiting) {
      if (this.#heldBytes + claim.wantedBytes > this.#capBytes) return
      this.#grant(claim)
    }
  }

  #grant(claim: Claim): void {
    this.#waiting.delete(claim)
    this.#count(claim, claim.wantedBytes)
    claim.wantedBytes = 0
    claim.granted()
  }

  #count(claim: Claim, bytes: number): void {
    claim.heldBytes += bytes
    this.#heldBytes += bytes
  }

  #oldest(): Claim | undefined {
    return this.#claims.values().next().value
  }
}
