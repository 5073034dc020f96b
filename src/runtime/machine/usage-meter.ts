/**
 * Time of all runs of a crawl, and CPU time of the processes that coordinated it. Both are saved in the
 * ledger while it runs, so that a killed run counts too, and the next holder of the seat continues from
 * there.
 */

import type { Ledger } from '../../ledger/index.js'
import type { Clock, Millis } from '../../model/index.js'
import { USAGE_METER_SAVE_MS } from '../limits.js'

export interface UsageTotal {
  readonly seconds: number
  readonly cpuSeconds: number
}

/** Clock and CPU time at which a process began to count. */
export interface UsageStart {
  /** Time of the monotonic clock. */
  readonly at: Millis
  readonly cpu: NodeJS.CpuUsage
}

/**
 * Starts to count now: work that this process did before was not for this crawl, or another process has
 * counted it.
 */
export function usageStartNow(clock: Clock): UsageStart {
  return { at: clock.monotonic(), cpu: process.cpuUsage() }
}

export class UsageMeter {
  readonly #ledger: Ledger
  readonly #clock: Clock
  readonly #before: UsageTotal
  readonly #from: UsageStart
  #savedAt: Millis

  static async since(from: UsageStart, ledger: Ledger, clock: Clock): Promise<UsageMeter> {
    const settings = await ledger.settings()
    return new UsageMeter(ledger, clock, from, {
      seconds: Number(settings['spent.seconds'] ?? 0),
      cpuSeconds: Number(settings['spent.cpuSeconds'] ?? 0),
    })
  }

  private constructor(ledger: Ledger, clock: Clock, from: UsageStart, before: UsageTotal) {
    this.#ledger = ledger
    this.#clock = clock
    this.#before = before
    this.#from = from
    this.#savedAt = from.at
  }

  /** Called often, saves every `USAGE_METER_SAVE_MS`. */
  async saveIfDue(): Promise<void> {
    if (this.#clock.monotonic() - this.#savedAt >= USAGE_METER_SAVE_MS) await this.save()
  }

  async save(): Promise<UsageTotal> {
    this.#savedAt = this.#clock.monotonic()
    const { user, system } = process.cpuUsage(this.#from.cpu)
    const total = {
      seconds: this.#before.seconds + (this.#savedAt - this.#from.at) / 1000,
      cpuSeconds: this.#before.cpuSeconds + (user + system) / 1e6,
    }
    await this.#ledger.set({
      'spent.seconds': String(total.seconds),
      'spent.cpuSeconds': String(total.cpuSeconds),
    })
    return total
  }
}
