import type { Incarnation, Ledger } from '../cluster/index.js'

const BLOCK_PAGES = 500

/**
 * `--max-pages` as this agent sees it: a block of pages reserved in the ledger. A page is taken before its request
 * and given back when what came was not a page, so the limit is met exactly and never exceeded.
 */
export class PageBudget {
  readonly #ledger: Ledger
  readonly #incarnation: Incarnation
  #free = 0
  #asking: Promise<void> | null = null
  #exhausted = false

  constructor(ledger: Ledger, incarnation: Incarnation) {
    this.#ledger = ledger
    this.#incarnation = incarnation
  }

  /** No page is free and none is on its way back: every reserved page is fetched or being fetched. */
  get exhausted(): boolean {
    return this.#exhausted && this.#free === 0
  }

  /** Takes one page if there is one at hand. */
  takeNow(): boolean {
    if (this.#free === 0) return false
    this.#free--
    return true
  }

  /** Takes one page; false when the ledger has none to give now. */
  async take(): Promise<boolean> {
    if (this.#free === 0) {
      this.#asking ??= this.#ask()
      await this.#asking
    }
    return this.takeNow()
  }

  giveBack(): void {
    this.#free++
  }

  /** Pages may have come back since: the next `take` asks the ledger anew. */
  askAgain(): void {
    this.#exhausted = false
  }

  async #ask(): Promise<void> {
    const { granted } = await this.#ledger.takeBudget(this.#incarnation, BLOCK_PAGES)
    this.#free += granted
    this.#exhausted = granted === 0
    this.#asking = null
  }
}
