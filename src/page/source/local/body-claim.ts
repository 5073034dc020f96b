/** The memory of one body that was read from a disk, in the budget of all bodies in flight. */
import type { BodyBudget, Claim } from '../../fetch/body/index.js'

export class BodyClaim implements Claim {
  heldBytes = 0
  wantedBytes = 0
  readonly #budget: BodyBudget
  #resolve: (() => void) | null = null
  #isReading = false

  constructor(budget: BodyBudget) {
    this.#budget = budget
    budget.enter(this)
  }

  /** Counts bytes that are so few that they need not wait. */
  add(bytes: number): void {
    this.#budget.force(this, bytes)
  }

  /** Resolves when there is room for so many bytes. */
  room(bytes: number): Promise<void> {
    return new Promise(resolve => {
      if (this.#budget.ask(this, bytes)) resolve()
      else this.#resolve = resolve
    })
  }

  granted(): void {
    this.#resolve?.()
    this.#resolve = null
  }

  /** Nobody waits for the read any more, but its memory is in use until it ends. */
  leaveAfter(read: Promise<unknown>): void {
    this.#isReading = true
    const ended = () => {
      this.#isReading = false
      this.leave()
    }
    read.then(ended, ended)
  }

  leave(): void {
    if (!this.#isReading) this.#budget.leave(this)
  }
}
