/**
 * Agents of other processes, seen from the session that coordinates: what is said here they hear, their files
 * are recovered, their end is awaited. Where the ledger is a file there are none.
 */

import type { LocalBus } from '../bus/index.js'
import type { CrawlConfig } from '../config/index.js'
import type { Incarnation, Ledger } from '../ledger/index.js'
import { type Millis, sleep } from '../model/index.js'
import type { Log } from './log.js'
import { bridge, inDatabase, openBus, type ProcessBus } from './open-ledger.js'
import { recoverIncarnation } from './recovery.js'
import { systemClock as clock } from './system-clock.js'

const LOOK_MS = 200

export interface RemoteAgentsParts {
  readonly directory: string
  /** Of the crawl. */
  readonly name: string
  readonly config: CrawlConfig
  readonly ledger: Ledger
  readonly bus: LocalBus
  readonly log: Log
  readonly leaseMs: Millis
}

export class RemoteAgents {
  readonly #parts: RemoteAgentsParts
  readonly #wide: ProcessBus | null

  static async connect(parts: RemoteAgentsParts): Promise<RemoteAgents> {
    const there = inDatabase(parts.config)
    return new RemoteAgents(parts, there && (await openBus(there)))
  }

  private constructor(parts: RemoteAgentsParts, wide: ProcessBus | null) {
    this.#parts = parts
    this.#wide = wide
    if (wide) bridge(parts.bus, wide)
  }

  /**
   * Lives that are over in the ledger. Whoever had one may wake up and write on: what is committed is copied
   * out of reach.
   */
  async recover(incarnations: readonly Incarnation[]): Promise<void> {
    if (!this.#wide) return
    const { directory, name, ledger, log } = this.#parts
    for (const incarnation of incarnations) {
      const recovered = await recoverIncarnation(directory, name, ledger, incarnation, 'unknown')
      log.warn('an agent elsewhere was lost; its files are cut to what was committed', {
        incarnation,
        ...recovered,
      })
    }
  }

  /**
   * When the crawl is over, or is to stop, they commit what they have and close their files; who does not is
   * not waited for longer than a lease. The agents of this process have ended by then.
   */
  async awaitEnd(): Promise<void> {
    if (!this.#wide) return
    const { ledger, leaseMs } = this.#parts
    const until = clock.monotonic() + leaseMs
    let left = await this.#present()
    while (left.length > 0 && clock.monotonic() < until) {
      await sleep(clock, LOOK_MS)
      left = await this.#present()
    }
    for (const incarnation of left) await ledger.leave(incarnation)
    await this.recover(left)
  }

  async close(): Promise<void> {
    await this.#wide?.close()
  }

  async #present(): Promise<Incarnation[]> {
    const rows = await this.#parts.ledger.agents()
    return rows.filter(({ lanes }) => lanes > 0).map(({ incarnation }) => incarnation)
  }
}
