/**
 * What the coordinator believes of the agents' lanes: the latest word of each, less what it was given since.
 */

import type { LaneStatus } from '../../bus/index.js'
import type { AgentRow, Incarnation } from '../../ledger/index.js'
import type { Lease } from '../../model/index.js'
import type { AgentView } from '../../plan/assign/index.js'

/** What an agent has left to do, and what it could part with. */
export interface AgentLoad {
  readonly incarnation: Incarnation
  /** The number of the word in its last heartbeat. */
  readonly heartbeat: number
  readonly lanes: number
  readonly freeLanes: number
  readonly busySites: number
  readonly spareGroups: number
}

interface Entry {
  readonly row: AgentRow
  /** What the row says. */
  readonly told: LaneStatus
  /** The latest word, on the bus or in a row. */
  status: LaneStatus
  /** Leases that its latest word does not know of: at least this many, and those we granted. */
  unseen: number
  granted: { readonly grant: number; readonly lane: number }[]
}

export class AgentRegistry {
  #entries = new Map<Incarnation, Entry>()

  /**
   * What the ledger knows: agents that came, agents that went, and the word of each at its last heartbeat.
   */
  look(rows: readonly AgentRow[]): void {
    const before = this.#entries
    this.#entries = new Map()
    for (const row of rows) {
      if (row.lanes === 0) continue
      const known = before.get(row.incarnation)
      const told = known?.row.status === row.status ? known.told : statusIn(row.status)
      const isNews = !known || told.at >= known.status.at
      this.#entries.set(row.incarnation, {
        row,
        told,
        status: isNews ? told : known.status,
        unseen: isNews ? row.unseen : known.unseen,
        // The ledger counts what we granted before we looked, and no more what was lost since, unseen.
        granted: isNews && row.unseen === 0 ? [] : (known?.granted ?? []),
      })
    }
  }

  /** Agents that crawl. */
  get size(): number {
    return this.#entries.size
  }

  /** A word on the bus: it may come late, or twice. True when it was news. */
  receive(from: Incarnation, status: LaneStatus): boolean {
    const entry = this.#entries.get(from)
    if (!entry || status.at <= entry.status.at) return false
    entry.status = status
    entry.unseen = 0
    return true
  }

  /** Agents that have said how many lanes they have free. */
  get reported(): number {
    let count = 0
    for (const { status } of this.#entries.values()) if (status.at > 0) count++
    return count
  }

  /** What each has left to do, as it said with its last heartbeat; what it was given since counts as busy. */
  loads(): AgentLoad[] {
    return [...this.#entries.values()].map(entry => {
      const { row, told, status } = entry
      const unseen = unseenOf(entry)
      // Words on the bus tell sooner than heartbeats of what came.
      const since = Math.max(0, status.held - told.held) + unseen
      return {
        incarnation: row.incarnation,
        heartbeat: told.at,
        lanes: row.lanes,
        freeLanes: Math.max(0, status.free - unseen),
        busySites: (told.busySites ?? 0) + since,
        spareGroups: told.spareGroups ?? 0,
      }
    })
  }

  /** How many cells each has taken itself, as it last said. */
  *taken(): Iterable<readonly [incarnation: Incarnation, cells: number]> {
    for (const [incarnation, { status }] of this.#entries) yield [incarnation, status.taken ?? 0]
  }

  granted(to: Incarnation, leases: readonly Lease[]): void {
    this.#entries.get(to)?.granted.push(...leases.map(({ grant, lane }) => ({ grant, lane })))
  }

  views(): AgentView[] {
    return [...this.#entries.values()].map(entry => {
      const { row, status } = entry
      const unseen = unseenOf(entry)
      // Lanes that cells are on their way to are as good as busy.
      const bound = entry.granted.map(({ lane }) => lane).filter(lane => lane > 0)
      return {
        name: row.name,
        incarnation: row.incarnation,
        lanes: row.lanes,
        freeLanes: Math.max(0, status.free - unseen),
        held: status.held + unseen,
        busyLanes: [...status.busyLanes, ...bound],
        capacity: status.capacity,
        stage: status.stage ?? 0,
      }
    })
  }

  /** Nobody has, or is about to have, a cell in hand, as far as is known. */
  get isIdle(): boolean {
    for (const entry of this.#entries.values()) if (entry.status.held > 0 || unseenOf(entry) > 0) return false
    return true
  }
}

function unseenOf(entry: Entry): number {
  entry.granted = entry.granted.filter(({ grant }) => grant > entry.status.seen)
  return Math.max(entry.unseen, entry.granted.length)
}

/**
 * Less than this is said by who has not spoken yet. Only what is asked for is kept of a word: there is much
 * more in it.
 */
function statusIn(text: string): LaneStatus {
  const {
    at = 0,
    seen = 0,
    free = 0,
    held = 0,
    busyLanes = [],
    capacity = 1,
    stage = 0,
    taken = 0,
    busySites = 0,
    spareGroups = 0,
  } = JSON.parse(text) as Partial<LaneStatus>
  return { at, seen, free, held, busyLanes, capacity, stage, taken, busySites, spareGroups }
}
