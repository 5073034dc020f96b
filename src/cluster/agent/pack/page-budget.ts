import type { Incarnation, Ledger } from '../../../ledger/index.js'

const BLOCK_PAGES = 500

/**
 * `--max-pages` as this agent sees it: a block of pages reserved in the ledger. A page is taken before its
 * request and given back when what came was not a page, so the limit is met exactly and never exceeded.
 */
export class PageBudget {
  readonly #ledger: Ledger
  readonly #incarnation: Incarnation
  #free = 0
  /** Taken, and not yet committed. */
  #out = 0
  #asking: Promise<void> | null = null
  #exhausted = false

  constructor(ledger: Ledger, incarnation: Incarnation) {
    this.#ledger = ledger
    this.#incarnation = incarnation
  }

  /** No page is free, and the ledger had none to give when last asked. */
  get exhausted(): boolean {
    return this.#exhausted && this.#free === 0
  }

  /** Takes one page if there is one at hand. */
  takeNow(): boolean {
    if (this.#free === 0) return false
    this.#free--
    this.#out++
    return true
  }

  /** Takes one page; false when the ledger has none to give now. */
  async take(): Promise<boolean> {
    if (this.#free === 0) await this.ask()
    return this.takeNow()
  }

  refund(): void {
    this.#free++
    this.#out--
  }

  /** Pages were committed, or lost with their cell. */
  settled(pages: number): void {
    this.#out -= pages
  }

  /** Asks the ledger for more: others may have given some back. */
  async ask(): Promise<void> {
    this.#asking ??= this.#reserve(BLOCK_PAGES)
    await this.#asking
  }

  /** With nothing to do: what is reserved and not needed goes back, others may wait for it. */
  async release(): Promise<void> {
    if (this.#free === 0 || this.#asking !== null) return
    this.#free = 0
    this.#asking = this.#reserve(0)
    await this.#asking
  }

  async #reserve(want: number): Promise<void> {
    const { granted } = await this.#ledger.takeBudget(this.#incarnation, this.#free + this.#out, want)
    this.#free += granted
    if (want > 0) this.#exhausted = granted === 0
    this.#asking = null
  }
}
