/** What an agent knows of the inbox of a cell that it leases. */
import type { Lease } from '../../../model/index.js'

export class SiteInbox {
  #cursor: number
  #appended: number
  #isDirty = true

  constructor({ cursor, appended }: Lease) {
    this.#cursor = cursor
    this.#appended = appended
  }

  /** Rows up to this position are in the queue. */
  get cursor(): number {
    return this.#cursor
  }

  /** True if there may be rows past the cursor. */
  get isDirty(): boolean {
    return this.#isDirty
  }

  grew(): void {
    this.#isDirty = true
  }

  /** A read begins: rows that arrive after this need another one. */
  readBegan(): void {
    this.#isDirty = false
  }

  rowsTaken(position: number): void {
    this.#cursor = position
  }

  /** Notes the ledger's count of rows; true if it has changed. */
  counted(appended: number): boolean {
    if (appended === this.#appended) return false
    this.#appended = appended
    return true
  }
}
