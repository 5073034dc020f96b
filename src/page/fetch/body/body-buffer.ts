/**
 * Collects the bytes of one body: one allocation if the length is known and moderate, otherwise by doubling.
 */

import { READ_BYTES } from '../../../model/index.js'
import { BODY_BUFFER_BELIEVED_BYTES } from '../../limits.js'
import type { BodyBudget, Claim } from './body-budget.js'

const EMPTY = Buffer.alloc(0)

export class BodyBuffer implements Claim {
  heldBytes = 0
  wantedBytes = 0
  readonly #budget: BodyBudget
  /** The promised length or the limit, whichever is smaller. */
  readonly #maxBytes: number
  readonly #believed: boolean
  /** The buffer from the pool, and the part of it that counts. */
  #whole: Buffer = EMPTY
  #bytes: Buffer = EMPTY
  #length = 0
  #counted = false
  #isWhole = false
  /** Bytes counted for the decoded form while its length is unknown. */
  #reserved = 0
  #resume: (() => void) | null = null

  constructor(budget: BodyBudget, maxBytes: number, lengthPromised: boolean) {
    this.#budget = budget
    this.#maxBytes = maxBytes
    this.#believed = lengthPromised && maxBytes <= BODY_BUFFER_BELIEVED_BYTES
  }

  get length(): number {
    return this.#length
  }

  get roomBytes(): number {
    return this.#maxBytes - this.#length
  }

  /** Appends `bytes[from..to)`, which must fit `maxBytes`. With `last`, reserves no room for more. */
  append(bytes: Buffer, from: number, to: number, last: boolean): void {
    const length = this.#length + to - from
    if (length > this.#bytes.length) {
      const capacity = last ? length : this.#roomFor(length)
      // A paused TLS socket still delivers what it has decrypted.
      if (this.#counted) this.#budget.force(this, capacity - this.#bytes.length)
      this.#grow(capacity)
    }
    bytes.copy(this.#bytes, this.#length, from, to)
    this.#length = length
  }

  /**
   * Makes room for the next read. False if memory is short: pause the socket until `resume` is called. A body
   * that fits its first read does not get here and is not counted.
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
   * Reserves `bytes` for the decoded form of the complete body. False if memory is short: `resume` is called
   * later. With 0 it only waits until other bodies are within the bound.
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

  /** The decoded form takes this much memory in addition. */
  decoded(bytes: number): void {
    if (bytes <= READ_BYTES && this.#reserved === 0) return
    this.#enter()
    this.#budget.force(this, bytes - this.#reserved)
    this.#reserved = 0
  }

  /** The body so far, without copying. */
  bytes(): Buffer {
    return this.#length === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#length)
  }

  /** The body is no longer in flight. */
  release(): void {
    if (this.#counted) this.#budget.leave(this)
  }

  /** Gives the memory to the next body. */
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
