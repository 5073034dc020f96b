/** The free lanes of each agent: those in its latest status, minus the leases granted since. */

import type { LaneStatus } from '../../bus/index.js'
import type { AgentRow, Incarnation } from '../../ledger/index.js'
import type { Lease } from '../../model/index.js'
import type { AgentView } from '../../plan/assign/index.js'

/** What an agent has to do, and what it could release. */
export interface AgentLoad {
  readonly incarnation: Incarnation
  /** The number of the status in its last heartbeat. */
  readonly heartbeat: number
  readonly lanes: number
  readonly freeLanes: number
  readonly busySites: number
  /** The same sites, each counted as the part of it that is left. */
  readonly workLeft: number
  readonly spareGroups: number
  /** False if the agent has joined and has not sent a status yet. */
  readonly hasReported: boolean
}

interface Entry {
  readonly row: AgentRow
  /** The status in the row. */
  readonly beat: LaneStatus
  /** The latest status, from the bus or from the row. */
  status: LaneStatus
  /**
   * The least number of leases that the latest status does not include; `granted` lists those of this
   * coordinator that the last heartbeat does not include.
   */
  unseen: number
  granted: { readonly grant: number; readonly lane: number }[]
}

export class AgentRegistry {
  #entries = new Map<Incarnation, Entry>()

  /** Takes the rows of the ledger: agents that came or left, and the status of each at its last heartbeat. */
  look(rows: readonly AgentRow[]): void {
    const before = this.#entries
    this.#entries = new Map()
    for (const row of rows) {
      if (row.lanes === 0) continue
      const known = before.get(row.incarnation)
      const beat = known?.row.status === row.status ? known.beat : statusIn(row.status)
      const isNews = !known || beat.at >= known.status.at
      this.#entries.set(row.incarnation, {
        row,
        beat,
        status: isNews ? beat : known.status,
        unseen: isNews ? row.unseen : known.unseen,
        // The ledger's count includes this coordinator's grants, but no lease that ended before the agent
        // reported it.
        granted: isNews && row.unseen === 0 ? [] : (known?.granted ?? []),
      })
    }
  }

  /** How many agents crawl. */
  get size(): number {
    return this.#entries.size
  }

  /** The lanes of all agents. */
  get lanes(): number {
    let lanes = 0
    for (const { row } of this.#entries.values()) lanes += row.lanes
    return lanes
  }

  /** Takes a status from the bus, which may be late or repeated; true if it is the latest. */
  receive(from: Incarnation, status: LaneStatus): boolean {
    const entry = this.#entries.get(from)
    if (!entry || status.at <= entry.status.at) return false
    entry.status = status
    entry.unseen = 0
    return true
  }

  /** How many agents have reported their free lanes. */
  get reported(): number {
    let count = 0
    for (const { status } of this.#entries.values()) if (status.at > 0) count++
    return count
  }

  /** How many agents have joined and have not reported yet. */
  get starting(): number {
    return this.size - this.reported
  }

  /** The load of each agent by its last heartbeat; leases granted since count as busy sites. */
  loads(): AgentLoad[] {
    return [...this.#entries.values()].map(entry => {
      const { row, beat, status } = entry
      const unseen = unseenOf(entry)
      // The bus reports new cells sooner than heartbeats do.
      const since = Math.max(0, status.held - beat.held) + unseen
      return {
        incarnation: row.incarnation,
        heartbeat: beat.at,
        lanes: row.lanes,
        freeLanes: Math.max(0, status.free - unseen),
        busySites: (beat.busySites ?? 0) + since,
        workLeft: (beat.workLeft ?? 0) + Math.max(since, entry.granted.length),
        spareGroups: beat.spareGroups ?? 0,
        hasReported: status.at > 0,
      }
    })
  }

  /** How many cells each agent has claimed. */
  *claimed(): Iterable<readonly [incarnation: Incarnation, cells: number]> {
    for (const [incarnation, { status }] of this.#entries) yield [incarnation, status.taken ?? 0]
  }

  granted(to: Incarnation, leases: readonly Lease[]): void {
    this.#entries.get(to)?.granted.push(...leases.map(({ grant, lane }) => ({ grant, lane })))
  }

  views(): AgentView[] {
    return [...this.#entries.values()].map(entry => {
      const { row, status } = entry
      const unseen = unseenOf(entry)
      // Lanes with cells on the way count as busy.
      const bound = unseenGrants(entry)
        .map(({ lane }) => lane)
        .filter(lane => lane > 0)
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

  /** True if, as far as is known, no agent holds a cell or is about to. */
  get isIdle(): boolean {
    for (const entry of this.#entries.values()) if (entry.status.held > 0 || unseenOf(entry) > 0) return false
    return true
  }
}

function unseenOf(entry: Entry): number {
  entry.granted = entry.granted.filter(({ grant }) => grant > entry.beat.seen)
  return Math.max(entry.unseen, unseenGrants(entry).length)
}

function unseenGrants({ granted, status }: Entry): Entry['granted'] {
  return granted.filter(({ grant }) => grant > status.seen)
}

/** Before its first status an agent has sent '{}'. Keeps these fields only: a status has many more. */
function statusIn(text: string): LaneStatus {
  const status = JSON.parse(text) as Partial<LaneStatus>
  const { at = 0, seen = 0, free = 0, held = 0, busyLanes = [], capacity = 1 } = status
  const { stage = 0, taken = 0, busySites = 0, workLeft = 0, spareGroups = 0 } = status
  return { at, seen, free, held, busyLanes, capacity, stage, taken, busySites, workLeft, spareGroups }
}
