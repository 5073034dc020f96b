/**
 * Compact storage for the values of a million cells: shared ones are stored once, journals in large blocks.
 */
import type { OriginState, OutcomeCount } from '../index.js'

/** Different values that are shared; further ones are stored as they come. */
const MOST_SHARED = 10_000

export class SharedRows {
  readonly #outcomes = new Map<string, readonly OutcomeCount[]>()
  readonly #bodies = new Map<string, Uint8Array>()
  readonly #details = new Map<string, string>()

  /** The outcomes of a cell with those that a pack adds. */
  outcomes(before: readonly OutcomeCount[], added: readonly OutcomeCount[]): readonly OutcomeCount[] {
    if (added.length === 0) return before
    const sum = [...before]
    for (const { code, count, detail } of added) {
      const i = sum.findIndex(known => known.code === code)
      if (i < 0) sum.push({ code, count, detail })
      else sum[i] = { code, count: count + sum[i].count, detail }
    }
    if (sum.length > 1) return sum
    return once(this.#outcomes, `${sum[0].code} ${sum[0].count} ${sum[0].detail}`, () => sum)
  }

  /** Copies the body: it may be a view of a larger buffer. */
  origin(state: OriginState): OriginState {
    const { body, detail } = state
    return {
      origin: state.origin,
      checkedAt: state.checkedAt,
      failures: state.failures,
      verdict: state.verdict,
      status: state.status,
      detail: once(this.#details, detail, () => detail),
      body: once(this.#bodies, textOf(body), () => Uint8Array.from(body)),
    }
  }
}

function once<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key)
  if (found !== undefined) return found
  const made = make()
  if (known.size < MOST_SHARED) known.set(key, made)
  return made
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}

const BLOCK_BYTES = 1024 * 1024

/** Journals end to end: a typed array each would take four times the memory of its content. */
export class MemoryJournals {
  readonly #blocks: Uint8Array[] = []
  /** Bytes used of the last block. */
  #used = BLOCK_BYTES

  /** Copies the journal, because the sender reuses its buffer. Returns the position. */
  add(journal: Uint8Array): number {
    if (this.#used + journal.length > BLOCK_BYTES) {
      this.#blocks.push(new Uint8Array(Math.max(BLOCK_BYTES, journal.length)))
      this.#used = 0
    }
    const block = this.#blocks.length - 1
    const offset = this.#used
    this.#blocks[block].set(journal, offset)
    this.#used += journal.length
    return block * BLOCK_BYTES + offset
  }

  read(at: number, bytes: number): Uint8Array {
    const offset = at % BLOCK_BYTES
    return this.#blocks[(at - offset) / BLOCK_BYTES].subarray(offset, offset + bytes)
  }
}
