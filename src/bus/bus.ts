/**
 * Port: the bus, wake-ups and status between agents and the coordinator. It may lose, repeat and reorder: who
 * hears something looks into the ledger, and who hears nothing looks there with every heartbeat. Nothing
 * depends on it.
 */

import type { Incarnation } from '../ledger/index.js'
import type { CellId, GroupId } from '../model/index.js'

/** What an agent says of its lanes, on the bus and in every heartbeat. */
export interface LaneStatus {
  /** Rises: an older word does not replace a newer one. */
  readonly at: number
  /** The last grant it knows of. */
  readonly seen: number
  /** Sites it would take now. */
  readonly free: number
  /** Cells it has in hand. */
  readonly held: number
  /** Numbers of the lanes at work, where they are few. */
  readonly busyLanes: readonly number[]
  /** What it has left of CPU, memory, disk and bandwidth (D4, D13). */
  readonly capacity: number
  /**
   * The stage of the routing table by which it takes cells itself, and how many it has taken; neither: it
   * takes none.
   */
  readonly stage?: number
  readonly taken?: number
  /**
   * With heartbeats only: sites in hand that have something left to do, and groups of them that could go to
   * others.
   */
  readonly busySites?: number
  readonly spareGroups?: number
}

export type BusMessage =
  | { readonly kind: 'free'; readonly from: Incarnation; readonly status: LaneStatus }
  /** Look at your leases; so many cells still wait. */
  | { readonly kind: 'leases'; readonly to: Incarnation; readonly waiting: number }
  /** These cells have something to read. */
  | { readonly kind: 'inbox'; readonly cells: readonly CellId[] }
  /** These cells have something to read, and are yours by the routing table: take those that wait. */
  | { readonly kind: 'yours'; readonly to: Incarnation; readonly cells: readonly CellId[] }
  /** Who routes what has changed: look at the settings. */
  | { readonly kind: 'routes' }
  /** Others wait for turns of these groups, which you hold. */
  | { readonly kind: 'wanted'; readonly to: Incarnation; readonly groups: readonly GroupId[] }
  /**
   * These cells of yours are meant for others now: release them, with `force` as they are in the ledger.
   */
  | {
      readonly kind: 'move'
      readonly to: Incarnation
      readonly cells: readonly CellId[]
      readonly force: boolean
    }
  /** Another agent has run dry: give back the sites of so many groups, for it to lease. */
  | { readonly kind: 'spare'; readonly to: Incarnation; readonly groups: number }
  /** Somebody needs a turn of each of these groups for one request, whoever holds them. */
  | { readonly kind: 'turn-request'; readonly groups: readonly GroupId[] }
  /** How far is everybody? `heldMs`: how long buses have held it back, to send it with others. */
  | {
      readonly kind: 'ping'
      readonly from: Incarnation
      readonly at: number
      readonly weight: string
      readonly heldMs: number
    }
  /** `bytes`: the weight of what is answered. `heldMs`: of question and answer. */
  | {
      readonly kind: 'pong'
      readonly to: Incarnation
      readonly from: Incarnation
      readonly at: number
      readonly bytes: number
      readonly heldMs: number
    }
  /** The crawl row was closed. */
  | { readonly kind: 'ended' }

export interface Bus {
  /** To everybody else. */
  send(message: BusMessage): void
  /** Returns how to stop listening. */
  subscribe(hear: (message: BusMessage) => void): () => void
}

/** A bus within a thread. Whoever joins it has an end of its own. */
export class LocalBus {
  readonly #ends = new Set<LocalEnd>()

  join(): Bus {
    const end = new LocalEnd((from, message) => {
      for (const other of this.#ends) if (other !== from) other.hear(message)
    })
    this.#ends.add(end)
    return end
  }

  leave(end: Bus): void {
    this.#ends.delete(end as LocalEnd)
  }
}

class LocalEnd implements Bus {
  readonly #spread: (from: LocalEnd, message: BusMessage) => void
  readonly #listeners = new Set<(message: BusMessage) => void>()

  constructor(spread: (from: LocalEnd, message: BusMessage) => void) {
    this.#spread = spread
  }

  /** Heard a little later: who sends is not interrupted by the answer. */
  send(message: BusMessage): void {
    queueMicrotask(() => this.#spread(this, message))
  }

  subscribe(hear: (message: BusMessage) => void): () => void {
    this.#listeners.add(hear)
    return () => void this.#listeners.delete(hear)
  }

  hear(message: BusMessage): void {
    for (const listener of this.#listeners) listener(message)
  }
}
