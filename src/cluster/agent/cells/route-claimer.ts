/**
 * S2: between stages an agent routes on its own. It has the routing table: after a commit it tells the owner
 * of every cell that gained rows, not the coordinator, and it takes the cells that are its own from S when it
 * has lanes, by the same rules of turns and by the same grant of the ledger. Who has an old table for a
 * moment takes what another is meant to have, or leaves what is his: the lease decides, and what nobody takes
 * the coordinator gives.
 */

import type { Bus } from '../../../bus/index.js'
import type { AssignmentName } from '../../../config/index.js'
import type { Heartbeat, Incarnation, Ledger, WaitingCell } from '../../../ledger/index.js'
import type { CellId, Clock, GroupId, Millis } from '../../../model/index.js'
import { TurnRequests } from '../../../plan/assign/index.js'
import { Routes, type RoutingTable, stageIn } from '../../../plan/assign/learned/index.js'
import { GrantRound } from '../../../plan/assign/simple/index.js'

export interface RouteClaimerParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly bus: Bus
  readonly name: string
  readonly incarnation: Incarnation
  readonly assignment: AssignmentName
  readonly leaseMs: Millis
  readonly leastDelayMs: () => Millis
  /** The table that is in force; null where it cannot be had now. */
  readonly load: () => Promise<RoutingTable | null>
}

/** Cells of S that are looked at, at least and at most; of those that wait, so many times our share. */
const LEAST_LOOK = 100
const MOST_LOOK = 2_000
const LOOK_SHARES = 4
/** Who found nothing of his own looks again after so many beats, twice as many each time. */
const MOST_BEATS = 4
/** Cells that we were told of and that a look at S may not reach. */
const MOST_TOLD = 10_000
/** Names of cells are long where sites are split, and a word on the bus must be short. */
const CELLS_A_MESSAGE = 20

export class RouteClaimer {
  readonly #parts: RouteClaimerParts
  readonly #routes: Routes
  readonly #turnRequests: TurnRequests
  #table: RoutingTable | null = null
  /** Of the table in hand, and of the one that is in force. */
  #stage = 0
  #inForce = 0
  #loading = false
  #mayWait = true
  readonly #told = new Set<CellId>()
  /** Cells that we were asked to give back: another is to have them, by a table that we may not have yet. */
  readonly #asked = new Set<CellId>()
  /** Beats until the next look that nobody asked for, and after a look in vain. */
  #pause = 0
  #nextPause = 1
  /** Cells taken by this incarnation. */
  taken = 0

  constructor(parts: RouteClaimerParts) {
    this.#parts = parts
    this.#routes = new Routes(parts.assignment, parts)
    this.#turnRequests = new TurnRequests(parts.clock)
  }

  /** The stage by which it routes now; 0 while it does not. */
  get stage(): number {
    return this.#stage === this.#inForce ? this.#stage : 0
  }

  /** With every heartbeat. A table of another stage is replaced before anything is taken by it. */
  apply({ settings, waiting }: Pick<Heartbeat, 'settings' | 'waiting'>, onReady: () => void): void {
    this.#routes.apply(settings)
    this.#inForce = stageIn(settings)
    if (this.#stage !== this.#inForce) void this.#refresh(this.#inForce, onReady)
    if (waiting > 0 && --this.#pause < 0) this.recheck()
  }

  recheck(): void {
    this.#mayWait = true
  }

  /** These turns are needed for one request: nobody takes a site of those groups meanwhile. */
  turnsRequested(groups: readonly GroupId[]): void {
    this.#turnRequests.announce(groups)
  }

  /** These are another's now: what we give back is not taken again by an old table. */
  movedAway(cells: readonly CellId[]): void {
    for (const cell of cells) this.#asked.add(cell)
  }

  /**
   * Cells that gained rows, none of them in our hands: tells their owners. Returns those whose owner we
   * cannot tell.
   */
  tell(cells: readonly CellId[]): CellId[] {
    const { bus, incarnation } = this.#parts
    const table = this.#table
    if (table === null || this.stage === 0) return [...cells]
    const unknown: CellId[] = []
    const owned = new Map<Incarnation, CellId[]>()
    for (const cell of cells) {
      const owner = this.#routes.ownerOf(cell, table)
      if (owner === null) unknown.push(cell)
      else if (owner === incarnation) this.#note(cell)
      else if (owned.has(owner)) owned.get(owner)!.push(cell)
      else owned.set(owner, [cell])
    }
    for (const [to, theirs] of owned)
      for (let i = 0; i < theirs.length; i += CELLS_A_MESSAGE)
        bus.send({ kind: 'yours', to, cells: theirs.slice(i, i + CELLS_A_MESSAGE) })
    return unknown
  }

  /** Another says that these are ours, and they are not in our hands. */
  heard(cells: readonly CellId[]): void {
    for (const cell of cells) this.#note(cell)
  }

  /**
   * Leases up to `free` of our cells that wait; true when there were any. `isPassedOn`: turns that others are
   * to have now.
   */
  async take(free: number, isPassedOn: (group: GroupId) => boolean): Promise<boolean> {
    const { ledger, incarnation, leaseMs, leastDelayMs } = this.#parts
    if (!this.#mayWait || free <= 0 || this.stage === 0) return false
    this.#mayWait = false
    const shares = LOOK_SHARES * free * Math.max(1, this.#routes.members)
    const limit = Math.min(Math.max(shares, LEAST_LOOK), MOST_LOOK)
    const waiting = await ledger.waiting(limit, [incarnation])
    const picked = this.#pick(waiting, free, isPassedOn)
    if (waiting.length === limit) this.#addTold(picked, free)
    else this.#told.clear()
    this.#rest(picked.length)
    if (picked.length === 0) return false
    const leases = await ledger.grant(incarnation, picked, leaseMs, leastDelayMs())
    this.taken += leases.length
    return true
  }

  #note(cell: CellId): void {
    if (this.#told.size < MOST_TOLD) this.#told.add(cell)
    this.recheck()
  }

  /**
   * Ours, in the order of the queue, as many as there are lanes: more that wait are looked for when the next
   * lane is free.
   */
  #pick(waiting: readonly WaitingCell[], free: number, isPassedOn: (group: GroupId) => boolean): CellId[] {
    const { incarnation, name } = this.#parts
    const table = this.#table
    if (table === null || this.stage === 0) return []
    const own = { name, incarnation, lanes: free, freeLanes: free, held: 0, busyLanes: [], capacity: 1 }
    const round = new GrantRound([own])
    for (const row of this.#turnRequests.without(waiting)) {
      if (round.isOver) {
        this.recheck()
        break
      }
      if (isPassedOn(row.turn) || this.#asked.has(row.cell)) continue
      if (this.#routes.ownerOf(row.cell, table) === incarnation) round.give(row, incarnation)
    }
    return round.given.get(incarnation) ?? []
  }

  /** Those that stand too far down in S to be seen. */
  #addTold(picked: CellId[], free: number): void {
    const seen = new Set(picked)
    for (const cell of this.#told) {
      if (picked.length >= free) return
      this.#told.delete(cell)
      if (!seen.has(cell) && !this.#asked.has(cell)) picked.push(cell)
    }
  }

  #rest(found: number): void {
    this.#nextPause = found > 0 ? 1 : Math.min(2 * this.#nextPause, MOST_BEATS)
    this.#pause = this.#nextPause - 1
  }

  async #refresh(stage: number, onReady: () => void): Promise<void> {
    if (this.#loading) return
    this.#loading = true
    try {
      const table = stage === 0 ? null : await this.#parts.load()
      if (table === null && stage > 0) return
      this.#table = table
      this.#stage = stage
      this.#asked.clear()
      this.recheck()
      onReady()
    } catch {
      // With the next beat again: meanwhile the coordinator gives us what is ours.
    } finally {
      this.#loading = false
    }
  }
}
