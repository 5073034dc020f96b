/** Parts that many of a million cells have in common, each stored once: robots.txt bodies and outcome lists. */
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
