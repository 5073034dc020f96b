/**
 * Port: the bus, wake-ups and status between agents and the coordinator. It may lose, repeat and reorder
 * messages: a receiver reads the ledger after a message, and in any case with every heartbeat, so that safety
 * never depends on the bus.
 */

import type { Incarnation } from '../ledger/index.js'
import type { CellId, GroupId } from '../model/index.js'

/** The state of an agent's lanes, sent on the bus and with every heartbeat. */
export interface LaneStatus {
  /** Rises, so that an older status does not replace a newer one. */
  readonly at: number
  /** The last grant that the agent has seen. */
  readonly seen: number
  /** Sites that it would accept now. */
  readonly free: number
  /** Cells that it holds. */
  readonly held: number
  /** Numbers of the busy lanes, if they are few. */
  readonly busyLanes: readonly number[]
  /** Free CPU, memory, disk and bandwidth, from 0 to 1 (D4, D13). */
  readonly capacity: number
  /** The stage of the routing table by which it claims cells, and how many it has claimed; absent: none. */
  readonly stage?: number
  readonly taken?: number
  /** With heartbeats only: held sites with work left, and groups of them that other agents could take. */
  readonly busySites?: number
  /** With heartbeats only: held sites, each counted as the part of its known URLs that is queued. */
  readonly workLeft?: number
  readonly spareGroups?: number
}

export type BusMessage =
  | { readonly kind: 'free'; readonly from: Incarnation; readonly status: LaneStatus }
  /** The receiver has new leases; `waiting` cells still wait. */
  | { readonly kind: 'leases'; readonly to: Incarnation; readonly waiting: number }
  /** These cells have new inbox rows. */
  | { readonly kind: 'inbox'; readonly cells: readonly CellId[] }
  /** These cells have new inbox rows and belong to the receiver by the routing table: it claims them. */
  | { readonly kind: 'yours'; readonly to: Incarnation; readonly cells: readonly CellId[] }
  /** The routing table in the settings has changed. */
  | { readonly kind: 'routes' }
  /** Other agents wait for turns of these groups, which the receiver holds. */
  | { readonly kind: 'wanted'; readonly to: Incarnation; readonly groups: readonly GroupId[] }
  /** The receiver has to release these cells to other agents; with `force` without a last pack. */
  | {
      readonly kind: 'move'
      readonly to: Incarnation
      readonly cells: readonly CellId[]
      readonly force: boolean
    }
  /** Another agent has no work: the receiver releases the sites of so many groups. */
  | { readonly kind: 'spare'; readonly to: Incarnation; readonly groups: number }
  /** The sender needs a turn of each of these groups for one request, whoever holds them. */
  | { readonly kind: 'turn-request'; readonly groups: readonly GroupId[] }
  /** Measures round-trip times. `heldMs`: the time that buses delayed it to send it with others. */
  | {
      readonly kind: 'ping'
      readonly from: Incarnation
      readonly at: number
      readonly weight: string
      readonly heldMs: number
    }
  /** `bytes`: the size of the ping's weight. `heldMs`: of ping and pong together. */
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
  /** Sends to all other ends of the bus. */
  send(message: BusMessage): void
  /** Returns the function that ends the subscription. */
  subscribe(hear: (message: BusMessage) => void): () => void
}

/** A bus within a thread; each `join` makes a new end of it. */
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

  /** Delivers asynchronously, so that an answer does not run inside of the sender's call. */
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
