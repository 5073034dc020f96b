/**
 * What happened, in order: its hash tells whether two runs were the same, its lines tell a person what went
 * wrong.
 */
import type { Millis } from '../model/index.js'
import { describeFact } from './describe-fact.js'
import type { VirtualTime } from './virtual-time.js'

export type Fact = readonly (string | number)[]

export class History {
  readonly #keeps: boolean
  readonly #time: Pick<VirtualTime, 'now'>
  readonly #lines: { readonly at: Millis; readonly fact: Fact }[] = []
  #hash = 0x811c9dc5
  #length = 0

  /** `keeps`: lines for people as well; the large runs do without. */
  constructor(time: Pick<VirtualTime, 'now'>, keeps: boolean) {
    this.#time = time
    this.#keeps = keeps
  }

  get length(): number {
    return this.#length
  }

  get hash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0')
  }

  add(...fact: Fact): void {
    const at = this.#time.now
    this.#length++
    let hash = mix(this.#hash, Math.floor(at * 1_000))
    for (const part of fact) {
      if (typeof part === 'number') hash = mix(hash, part)
      else for (let i = 0; i < part.length; i++) hash = Math.imul(hash ^ part.charCodeAt(i), 0x01000193)
    }
    this.#hash = hash
    if (this.#keeps) this.#lines.push({ at, fact })
  }

  /**
   * Of the first `length` facts, those that name one of `words`, and all that befell machines and ledger as a
   * whole.
   */
  about(words: readonly string[], length = this.#lines.length): string[] {
    return this.#lines
      .slice(0, length)
      .filter(({ fact }) => isGeneral(fact) || fact.some(part => words.some(word => isAbout(part, word))))
      .map(({ at, fact }) => `${(at / 1000).toFixed(3).padStart(9)} s  ${describeFact(fact)}`)
  }
}

function isGeneral([kind]: Fact): boolean {
  return kind === 'fault' || kind === 'join' || kind === 'leave' || kind === 'end'
}

function isAbout(part: string | number, word: string): boolean {
  return typeof part === 'string' && part.includes(word)
}

function mix(hash: number, value: number): number {
  return Math.imul(hash ^ (value | 0) ^ Math.floor(value / 4_294_967_296), 0x01000193)
}
