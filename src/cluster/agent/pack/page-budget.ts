import type { Incarnation, Ledger } from '../../../ledger/index.js'

const BLOCK_PAGES = 500

/**
 * The agent's part of `--max-pages`: a block of pages reserved in the ledger. A page is taken before its
 * request and returned if no page came, so the limit is met exactly.
 */
export class PageBudget {
  readonly #ledger: Ledger
  readonly #incarnation: Incarnation
  #free = 0
  /** Taken, and not committed yet. */
  #taken = 0
  #asking: Promise<void> | null = null
  #exhausted = false

  constructor(ledger: Ledger, incarnation: Incarnation) {
    this.#ledger = ledger
    this.#incarnation = incarnation
  }

  /** True if no page is free, and the ledger had none at the last call. */
  get exhausted(): boolean {
    return this.#exhausted && this.#free === 0
  }

  /** Takes one page if one is free. */
  takeNow(): boolean {
    if (this.#free === 0) return false
    this.#free--
    this.#taken++
    return true
  }

  /** Takes one page; false if the ledger has none now. */
  async take(): Promise<boolean> {
    if (this.#free === 0) await this.ask()
    return this.takeNow()
  }

  refund(): void {
    this.#free++
    this.#taken--
  }

  /** Pages were committed, or lost with their cells. */
  settled(pages: number): void {
    this.#taken -= pages
  }

  /** Reserves more pages. The ledger may have some again: other agents return theirs. */
  async ask(): Promise<void> {
    this.#asking ??= this.#reserve(BLOCK_PAGES)
    await this.#asking
  }

  /** Returns the free pages to the ledger: other agents may wait for them. */
  async release(): Promise<void> {
    if (this.#free === 0 || this.#asking !== null) return
    this.#free = 0
    this.#asking = this.#reserve(0)
    await this.#asking
  }

  async #reserve(want: number): Promise<void> {
    const { granted } = await this.#ledger.takeBudget(this.#incarnation, this.#free + this.#taken, want)
    this.#free += granted
    if (want > 0) this.#exhausted = granted === 0
    this.#asking = null
  }
}
