/**
 * Collects the bytes of one body: one allocation where the length is known and modest, doubling where it is
 * not.
 */

import { READ_BYTES } from '../../../model/index.js'
import type { BodyBudget, Claim } from './body-budget.js'

/** A promised length up to this is believed; a longer one must first send something. */
const BELIEVED_BYTES = 256 * 1024
const EMPTY = Buffer.alloc(0)

export class BodyBuffer implements Claim {
  heldBytes = 0
  wantedBytes = 0
  readonly #budget: BodyBudget
  /** No body is longer than this: the promised length or the limit, whichever is smaller. */
  readonly #maxBytes: number
  readonly #believed: boolean
  /** What the pool gave, and the part of it that is counted. */
  #whole: Buffer = EMPTY
  #bytes: Buffer = EMPTY
  #length = 0
  #counted = false
  #isWhole = false
  /** Counted for its decoded form, of which the length is not known yet. */
  #reserved = 0
  #resume: (() => void) | null = null

  constructor(budget: BodyBudget, maxBytes: number, lengthPromised: boolean) {
    this.#budget = budget
    this.#maxBytes = maxBytes
    this.#believed = lengthPromised && maxBytes <= BELIEVED_BYTES
  }

  get length(): number {
    return this.#length
  }

  get roomBytes(): number {
    return this.#maxBytes - this.#length
  }

  /** Takes `bytes[from..to)`, which must fit the maximum. `last` allocates no room for more. */
  append(bytes: Buffer, from: number, to: number, last: boolean): void {
    const length = this.#length + to - from
    if (length > this.#bytes.length) {
      const capacity = last ? length : this.#roomFor(length)
      // A paused TLS socket still hands over what it has decrypted.
      if (this.#counted) this.#budget.force(this, capacity - this.#bytes.length)
      this.#grow(capacity)
    }
    bytes.copy(this.#bytes, this.#length, from, to)
    this.#length = length
  }

  /**
   * Makes room for the next read. False when memory is short: the socket must be paused, and `resume` is
   * called once there is room. Bodies that fit their first read never get here and are not counted.
   */
  ready(resume: () => void): boolean {
    this.#enter()
    const needed = Math.min(this.#maxBytes, this.#length + READ_BYTES)
    if (needed <= this.#bytes.length) return true
    if (this.#resume !== null) return false
    const capacity = this.#roomFor(needed)
    if (this.#budget.ask(this, capacity - this.#bytes.length)) {
      this.#grow(capacity)
      return true
    }
    this.#resume = resume
    return false
  }

  granted(): void {
    const resume = this.#resume
    this.#resume = null
    if (!this.#isWhole) this.#grow(this.heldBytes)
    resume?.()
  }

  /**
   * The whole body is here and is to be decoded, to as much as `bytes`. False when memory is short: `resume`
   * is called once there is room. With 0 it only waits until others are within the bound.
   */
  mayDecode(bytes: number, resume: () => void): boolean {
    if (bytes === 0 && !this.#budget.isFull) return true
    this.#isWhole = true
    this.#enter()
    this.#reserved = bytes
    if (this.#budget.ask(this, bytes)) return true
    this.#resume = resume
    return false
  }

  /** Its decoded form takes so much memory besides. */
  decoded(bytes: number): void {
    if (bytes <= READ_BYTES && this.#reserved === 0) return
    this.#enter()
    this.#budget.force(this, bytes - this.#reserved)
    this.#reserved = 0
  }

  /** What came, without copying. */
  bytes(): Buffer {
    return this.#length === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#length)
  }

  /** The body is no longer in flight. */
  release(): void {
    if (this.#counted) this.#budget.leave(this)
  }

  /** The body is no longer needed: its memory goes to the next one. */
  recycle(): void {
    this.#budget.pool.give(this.#whole)
    this.#whole = EMPTY
    this.#bytes = EMPTY
    this.#length = 0
  }

  #enter(): void {
    if (this.#counted) return
    this.#counted = true
    this.heldBytes = this.#bytes.length
    this.#budget.enter(this)
  }

  #roomFor(length: number): number {
    return this.#believed
      ? this.#maxBytes
      : Math.min(this.#maxBytes, Math.max(length, this.#bytes.length * 2))
  }

  #grow(capacity: number): void {
    const larger = this.#budget.pool.take(capacity)
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#budget.pool.give(this.#whole)
    this.#whole = larger
    this.#bytes = larger.length === capacity ? larger : larger.subarray(0, capacity)
  }
}
