/** The facts of a run in order. The hash shows whether two runs were the same; the lines are for people. */
import type { Millis } from '../../model/index.js'
import type { VirtualTime } from '../machines/index.js'
import { describeFact } from './describe-fact.js'

export type Fact = readonly (string | number)[]

export class History {
  readonly #keeps: boolean
  readonly #time: Pick<VirtualTime, 'now'>
  readonly #lines: { readonly at: Millis; readonly fact: Fact }[] = []
  #hash = 0x811c9dc5
  #length = 0

  /** With `keeps` false, only the hash is kept: large runs have too many facts. */
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
   * Of the first `length` facts, those that contain one of `words` or concern a whole machine or the crawl.
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
