/** The rows of the ledger in memory, with the indexes that SQLite would keep. */

import { addTo, type CellId, type Epoch, type GroupId, type Millis, siteOfCell } from '../../model/index.js'
import type { Site } from '../../model/url/index.js'
import {
  CELL_STATES,
  type CellState,
  type FinishReason,
  type InboxRow,
  type Incarnation,
  type LaneName,
  type OutcomeCount,
} from '../index.js'
import { RankOrder } from './memory-order.js'

export interface CellRow {
  /** In the order of discovery. */
  readonly id: number
  readonly cell: CellId
  readonly group: GroupId
  state: CellState
  agent: Incarnation | null
  epoch: Epoch
  leaseUntil: Millis
  notBefore: Millis
  grant: number
  lane: number
  rank: number
  lastPack: number
  appended: number
  consumed: number
  cursor: number
  parkedUntil: Millis
  parkedWhy: string
  children: readonly CellId[] | null
  /** The cell it was split from, and that cell's last pack number: its own packs are numbered after it. */
  parent: CellRow | null
  inherited: number
  discovered: number
  settled: number
  pages: number
  bytes: number
  fetchMs: Millis
  firstFetch: Millis
  lastFetch: Millis
  sizeEstimate: number
  /** Null until the first row: most cells are not in use at the same time. */
  inbox: InboxRow[] | null
  /** Position and length of each journal in `MemoryJournals`, in turn. */
  journals: number[] | null
  /** Never changed in place: cells with the same outcomes share one list. */
  outcomes: readonly OutcomeCount[]
}

export interface IncarnationRow {
  readonly incarnation: Incarnation
  readonly name: string
  open: boolean
  heartbeatAt: Millis
  budget: number
  status: string
  /** `seen` of the status; null until it is read. */
  seen: number | null
  readonly lanes: number
  pages: number
  bytes: number
  fetches: number
  fetchMs: Millis
  readonly held: Set<CellRow>
  readonly turns: Set<TurnRow>
}

export interface TurnRow {
  readonly group: GroupId
  agent: Incarnation | null
  epoch: Epoch
  leaseUntil: Millis
  nextAllowed: Millis
  delayMs: Millis
}

/** Rules that the simulator can switch off, one at a time, to prove that its checker notices. */
export type MemoryRule =
  /** Packs with an old epoch, a wrong number or a closed incarnation are refused. */
  | 'fences'
  /** Only the part of `fences` about epochs. */
  | 'checks-epochs'
  /** A leased cell is leased to no other incarnation. */
  | 'leases-the-waiting'
  /** Every lease of a cell has a higher epoch than the last. */
  | 'raises-epochs'
  /** A cell is finished only when all rows of its inbox are consumed. */
  | 'tests-finish'
  /** An append turns a finished cell to waiting. */
  | 'wakes-finished'
  /** The cells of an agent that failed go to the head of the queue, not to the tail. */
  | 'failed-to-head'
  /** The crawl ends only when nothing waits or is leased. */
  | 'tests-end'
  /** Nothing is leased or committed after the end. */
  | 'latches-end'
  /** The children of a cell that was split derive their state from its packs. */
  | 'children-inherit'
  /** Unread rows of a cell that is split go to its children. */
  | 'rows-move'
  /** Nothing is appended to a cell that was split. */
  | 'refuses-closed'

const NO_OUTCOMES: readonly OutcomeCount[] = []

export class MemoryState {
  readonly cells = new Map<CellId, CellRow>()
  readonly incarnations: IncarnationRow[] = []
  /** Open incarnations with lanes. */
  crawling = 0
  readonly turns = new Map<GroupId, TurnRow>()
  /** Cells by site, of sites with shards or pieces. */
  readonly #partsOf = new Map<Site, CellRow[]>()
  /** Never changed in place, because callers keep it. */
  settings: Readonly<Record<string, string>> = {}
  /** Without `INTERNAL_SETTINGS`, for heartbeats. */
  publicSettings: Readonly<Record<string, string>> = {}
  /** Cells that an assignment has bound to lanes. */
  readonly bound = new Map<CellId, LaneName>()
  /** Leased cells by group. */
  readonly #leased = new Map<GroupId, Set<CellRow>>()
  /** Waiting, resting and parked cells by rank; other states are only counted. */
  readonly order: Readonly<Record<'waiting' | 'resting' | 'parked', RankOrder>> = {
    waiting: new RankOrder(),
    resting: new RankOrder(),
    parked: new RankOrder(),
  }
  readonly counts: Record<CellState, number>
  open = true
  finishReason: FinishReason | null = null
  maxPages: number | null = null
  pages = 0
  nextRank = 1
  firstRank = 0
  lastHeartbeat: Millis = 0
  gapUntil: Millis = 0
  grants = 0
  seat: { agent: Incarnation | null; epoch: Epoch; until: Millis } = { agent: null, epoch: 0, until: 0 }
  readonly #broken: MemoryRule | null

  constructor(broken: MemoryRule | null) {
    this.#broken = broken
    this.counts = Object.fromEntries(CELL_STATES.map(state => [state, 0])) as Record<CellState, number>
  }

  keeps(rule: MemoryRule): boolean {
    return rule !== this.#broken
  }

  incarnationRow(incarnation: Incarnation): IncarnationRow | undefined {
    return this.incarnations[incarnation - 1]
  }

  addCell(cell: CellId, group: GroupId): CellRow {
    const row: CellRow = {
      id: this.cells.size,
      cell,
      group,
      state: 'waiting',
      agent: null,
      epoch: 0,
      leaseUntil: 0,
      notBefore: 0,
      grant: 0,
      lane: 0,
      rank: ++this.nextRank,
      lastPack: 0,
      appended: 0,
      consumed: 0,
      cursor: 0,
      parkedUntil: 0,
      parkedWhy: '',
      children: null,
      parent: null,
      inherited: 0,
      discovered: 0,
      settled: 0,
      pages: 0,
      bytes: 0,
      fetchMs: 0,
      firstFetch: 0,
      lastFetch: 0,
      sizeEstimate: 0,
      inbox: null,
      journals: null,
      outcomes: NO_OUTCOMES,
    }
    this.cells.set(cell, row)
    if (cell.includes('#')) addTo(this.#partsOf, siteOfCell(row.cell), row)
    this.counts.waiting++
    this.order.waiting.add(row)
    return row
  }

  /** All cells of a site that has several, closed ones included. */
  *cellsOf(site: Site): Iterable<CellRow> {
    const whole = this.cells.get(site)
    if (whole) yield whole
    yield* this.#partsOf.get(site) ?? []
  }

  /** Changes state and rank together: the indexes are by both. */
  move(row: CellRow, state: CellState, rank = row.rank): void {
    if (isOrdered(row.state)) this.order[row.state].remove(row)
    this.counts[row.state]--
    row.state = state
    row.rank = rank
    this.counts[state]++
    if (isOrdered(state)) this.order[state].add(row)
  }

  /** Sets the holder of a cell; null: none. */
  hold(row: CellRow, agent: Incarnation | null): void {
    if (row.agent !== null) {
      this.incarnationRow(row.agent)?.held.delete(row)
      const leased = this.#leased.get(row.group)
      leased?.delete(row)
      if (leased?.size === 0) this.#leased.delete(row.group)
    }
    row.agent = agent
    if (agent === null) return
    this.incarnationRow(agent)?.held.add(row)
    const leased = this.#leased.get(row.group)
    if (leased) leased.add(row)
    else this.#leased.set(row.group, new Set([row]))
  }

  /** True while the incarnation leases a cell of the group. */
  leases(agent: Incarnation, group: GroupId): boolean {
    for (const row of this.#leased.get(group) ?? []) if (row.agent === agent) return true
    return false
  }
}

function isOrdered(state: CellState): state is 'waiting' | 'resting' | 'parked' {
  return state === 'waiting' || state === 'resting' || state === 'parked'
}
