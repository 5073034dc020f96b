/** How many more sites an agent would take now; reported on the bus and in every heartbeat. */
import type { Bus, LaneStatus } from '../../../bus/index.js'
import type { Incarnation } from '../../../ledger/index.js'
import { LIMITS } from '../../../model/index.js'
import type { HeldCells } from '../cells/index.js'
import type { LaneCount } from '../site/index.js'

/**
 * The free fractions of the agent's machine (D4), between 0 and 1; `bandwidthFree` is null if it is unknown.
 */
export interface MachineLoad {
  /** The fraction of time in which this agent's thread was idle. */
  readonly cpuIdle: number
  readonly memoryFree: number
  readonly diskFree: number
  readonly bandwidthFree: number | null
  /** Received by this agent. */
  readonly bytesPerSecond: number
}

/** How many more sites this machine can crawl (D13). */
export interface AgentCapacity {
  /** How many lanes may be at work. */
  readonly lanes: number
  /** Between 0 and 1; agents with more come first. */
  readonly capacity: number
  readonly load: MachineLoad | null
}

export interface LaneOfferParts {
  readonly bus: Bus
  readonly incarnation: Incarnation
  readonly lanes: number
  readonly laneCount: LaneCount
  readonly capacity: () => AgentCapacity
  /** Null if the coordinator grants all cells. */
  readonly routes: { readonly stage: number; readonly taken: number } | null
  readonly heldCells: HeldCells
  /** True if no more sites are wanted: the agent stops, or has no page left. */
  readonly isDone: () => boolean
}

export class LaneOffer {
  readonly #parts: LaneOfferParts
  #lastSent = ''
  #statuses = 0

  constructor(parts: LaneOfferParts) {
    this.#parts = parts
  }

  /** Sites that the agent could take now; negative if it has too many. */
  get free(): number {
    const { lanes, laneCount, heldCells } = this.#parts
    // With more sites than this, those with long waits are released to rest in the ledger.
    const room = 2 * lanes + LIMITS.sitesInWait - heldCells.sites.size
    return Math.min(this.#capacity().lanes - laneCount.busy, room) - heldCells.opening
  }

  status(): LaneStatus & { readonly load: MachineLoad | null } {
    const { laneCount, routes, heldCells } = this.#parts
    const { load, capacity } = this.#capacity()
    return {
      at: ++this.#statuses,
      seen: heldCells.seen,
      free: this.offered,
      held: heldCells.count,
      busyLanes: laneCount.numbers(),
      capacity,
      stage: routes?.stage ?? 0,
      taken: routes?.taken ?? 0,
      load,
    }
  }

  /** Sites that the agent asks for: 0 if no more are wanted, and never less. */
  get offered(): number {
    return this.#parts.isDone() ? 0 : Math.max(0, this.free)
  }

  /**
   * Before the first lease the thread was only busy with its own start, which says nothing about how many
   * sites it can crawl.
   */
  #capacity(): AgentCapacity {
    const { lanes, capacity, heldCells } = this.#parts
    const measured = capacity()
    return heldCells.seen === 0 ? { lanes, capacity: 1, load: measured.load } : measured
  }

  /** Sends changes to the coordinator. The next heartbeat makes up for a lost message. */
  send(): void {
    const { heldCells, routes } = this.#parts
    const state = `${this.offered} ${heldCells.count} ${heldCells.seen} ${routes?.stage ?? 0}`
    if (state === this.#lastSent) return
    this.#lastSent = state
    this.#parts.bus.send({ kind: 'free', from: this.#parts.incarnation, status: this.status() })
  }
}
