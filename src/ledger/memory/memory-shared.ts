/**
 * Parts of rows that a million cells have in common, each kept once: what a robots.txt says, and that one
 * page was found.
 */
import type { OriginState, OutcomeCount } from '../index.js'

/** Different ones that are kept; the rest stay as they came. */
const MOST = 10_000

export class SharedRows {
  readonly #outcomes = new Map<string, readonly OutcomeCount[]>()
  readonly #bodies = new Map<string, Uint8Array>()
  readonly #details = new Map<string, string>()

  /** What befell a cell so far, with what a pack adds. */
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

  /** The body is copied: it may be a part of something larger. */
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
  if (known.size < MOST) known.set(key, made)
  return made
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}
