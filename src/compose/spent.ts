/** Time and CPU over all runs of a crawl. They are kept in the ledger while it runs, so that a run that is killed counts too. */
import type { Ledger } from '../cluster/index.js'
import type { Clock, Millis } from '../model/clock.js'

/** What a killed run may have spent unseen. */
const SAVE_MS: Millis = 2_000

export interface SpentTotal {
  readonly seconds: number
  readonly cpuSeconds: number
}

export class Spent {
  readonly #ledger: Ledger
  readonly #clock: Clock
  readonly #before: SpentTotal
  readonly #startedAt: Millis
  #savedAt: Millis

  /** Of a run that began at `startedAt` of the monotonic clock. */
  static async since(startedAt: Millis, ledger: Ledger, clock: Clock): Promise<Spent> {
    const settings = await ledger.settings()
    return new Spent(ledger, clock, startedAt, {
      seconds: Number(settings['spent.seconds'] ?? 0),
      cpuSeconds: Number(settings['spent.cpuSeconds'] ?? 0),
    })
  }

  private constructor(ledger: Ledger, clock: Clock, startedAt: Millis, before: SpentTotal) {
    this.#ledger = ledger
    this.#clock = clock
    this.#before = before
    this.#startedAt = startedAt
    this.#savedAt = startedAt
  }

  /** To be called often: saves now and then. */
  async tend(): Promise<void> {
    if (this.#clock.monotonic() - this.#savedAt >= SAVE_MS) await this.save()
  }

  async save(): Promise<SpentTotal> {
    this.#savedAt = this.#clock.monotonic()
    const { user, system } = process.cpuUsage()
    const total = {
      seconds: this.#before.seconds + (this.#savedAt - this.#startedAt) / 1000,
      cpuSeconds: this.#before.cpuSeconds + (user + system) / 1e6,
    }
    await this.#ledger.set({
      'spent.seconds': String(total.seconds),
      'spent.cpuSeconds': String(total.cpuSeconds),
    })
    return total
  }
}
