/**
 * What an agent says of its lanes: how many more sites it would take now, on the bus and in every heartbeat.
 */
import type { Bus, LaneStatus } from '../../../bus/index.js'
import type { Incarnation } from '../../../ledger/index.js'
import { LIMITS } from '../../../model/index.js'
import type { HeldCells } from '../cells/index.js'
import type { LaneCount } from '../site/index.js'

/**
 * What an agent has left of its machine (D4). Shares are of 1; `bandwidthFree` is null where nobody knows the
 * line.
 */
export interface MachineLoad {
  /** Time in which this agent's thread had nothing to do. */
  readonly cpuIdle: number
  readonly memoryFree: number
  readonly diskFree: number
  readonly bandwidthFree: number | null
  /** What this agent received. */
  readonly bytesPerSecond: number
}

/** What is left of this machine for more sites (D13). */
export interface AgentCapacity {
  /** Of lanes at work, how many are enough. */
  readonly lanes: number
  /** Orders agents by what they have to spare. */
  readonly capacity: number
  readonly load: MachineLoad | null
}

export interface LaneOfferParts {
  readonly bus: Bus
  readonly incarnation: Incarnation
  readonly lanes: number
  readonly laneCount: LaneCount
  readonly capacity: () => AgentCapacity
  /** Of who takes cells itself. */
  readonly routes: { readonly stage: number; readonly taken: number } | null
}

export class LaneOffer {
  readonly #parts: LaneOfferParts
  readonly #heldCells: HeldCells
  /** Nothing more is wanted: the agent stops, or has no page left to ask for. */
  readonly #isDone: () => boolean
  #told = ''
  #words = 0

  constructor(parts: LaneOfferParts, heldCells: HeldCells, isDone: () => boolean) {
    this.#parts = parts
    this.#heldCells = heldCells
    this.#isDone = isDone
  }

  /** Sites that could be taken now; none or less where there are too many. */
  get free(): number {
    const { lanes, laneCount, capacity } = this.#parts
    // Who finds no room here rests in the ledger, and lets us look at the next.
    const room = 2 * lanes + LIMITS.sitesInWait - this.#heldCells.sites.size
    return Math.min(capacity().lanes - laneCount.busy, room) - this.#heldCells.opening
  }

  status(): LaneStatus & { readonly load: MachineLoad | null } {
    const { laneCount, capacity, routes } = this.#parts
    const { load, capacity: left } = capacity()
    return {
      at: ++this.#words,
      seen: this.#heldCells.seen,
      free: this.offered,
      held: this.#heldCells.count,
      busyLanes: laneCount.numbers(),
      capacity: left,
      stage: routes?.stage ?? 0,
      taken: routes?.taken ?? 0,
      load,
    }
  }

  /** The same for who gives us some: never less than none, and none when nothing more is wanted. */
  get offered(): number {
    return this.#isDone() ? 0 : Math.max(0, this.free)
  }

  /** Tells the coordinator what has changed; it looks for itself with every heartbeat. */
  tell(): void {
    const { count, seen } = this.#heldCells
    const words = `${this.offered} ${count} ${seen} ${this.#parts.routes?.stage ?? 0}`
    if (words === this.#told) return
    this.#told = words
    this.#parts.bus.send({ kind: 'free', from: this.#parts.incarnation, status: this.status() })
  }
}
