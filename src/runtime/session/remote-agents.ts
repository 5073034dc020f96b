/**
 * Agents of other processes, for the process that coordinates: relays bus messages, recovers their files and
 * waits for their end. Where the ledger is a file there are none.
 */

import type { LocalBus } from '../../bus/index.js'
import type { Incarnation } from '../../ledger/index.js'
import { sleep } from '../../model/index.js'
import { REMOTE_AGENTS_LOOK_MS } from '../limits.js'
import { inDatabase, type ProcessBus } from '../platform/index.js'
import { recoverIncarnation } from '../recovery/index.js'
import type { CoordinatorRuntimeParts } from './coordinator-runtime.js'

type RemoteAgentsParts = Pick<
  CoordinatorRuntimeParts,
  'platform' | 'directory' | 'name' | 'config' | 'ledger' | 'bus' | 'log'
>

export class RemoteAgents {
  readonly #parts: RemoteAgentsParts
  readonly #wide: ProcessBus | null

  static async connect(parts: RemoteAgentsParts): Promise<RemoteAgents> {
    const there = inDatabase(parts.config)
    return new RemoteAgents(parts, there && (await parts.platform.ledgers.openBus(there)))
  }

  private constructor(parts: RemoteAgentsParts, wide: ProcessBus | null) {
    this.#parts = parts
    this.#wide = wide
    if (wide) bridge(parts.bus, wide)
  }

  /**
   * Recovers the files of incarnations that are closed in the ledger. Their processes may wake up and write
   * on, so what is committed is copied to other files.
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
   * Waits until the agents of other processes have committed what they have and closed their files, at most
   * for one lease. The agents of this process have ended by then.
   */
  async awaitEnd(): Promise<void> {
    if (!this.#wide) return
    const { ledger, platform } = this.#parts
    const { clock, leaseMs } = platform
    const until = clock.monotonic() + leaseMs
    let left = await this.#present()
    while (left.length > 0 && clock.monotonic() < until) {
      await sleep(clock, REMOTE_AGENTS_LOOK_MS)
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

/** Relays messages between the bus of this process and that of all processes. */
export function bridge(bus: LocalBus, wide: ProcessBus): void {
  const end = bus.join()
  end.subscribe(message => wide.send(message))
  wide.subscribe(message => end.send(message))
}
