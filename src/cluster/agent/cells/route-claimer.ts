/**
 * An agent with a routing table works without the coordinator between stages (S2). After a commit it notifies
 * the owner of each cell that gained rows. When it has free lanes, it claims its own cells from the queue, by
 * the same rules of turns and the same grants of the ledger. With an old table it may claim a cell of another
 * agent, or leave one of its own: the lease decides, and the coordinator grants what nobody claims.
 */

import type { Bus } from '../../../bus/index.js'
import type { AssignmentName } from '../../../config/index.js'
import type { Heartbeat, Incarnation, Ledger, WaitingCell } from '../../../ledger/index.js'
import type { CellId, Clock, GroupId, Millis } from '../../../model/index.js'
import { TurnRequests } from '../../../plan/assign/index.js'
import { Routes, type RoutingTable, stageIn } from '../../../plan/assign/learned/index.js'
import { GrantRound } from '../../../plan/assign/simple/index.js'
import { LEAST_READ_CELLS, MESSAGE_CELLS, MOST_READ_CELLS } from '../../limits.js'

export interface RouteClaimerParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly bus: Bus
  readonly name: string
  readonly incarnation: Incarnation
  readonly assignment: AssignmentName
  readonly leaseMs: Millis
  readonly leastDelayMs: () => Millis
  /** Loads the table that is in force; null if it cannot be loaded now. */
  readonly load: () => Promise<RoutingTable | null>
}

/** A read of the queue returns so many times the agent's share, within bounds. */
const READ_SHARES = 4
/** After a read without an own cell, the agent skips heartbeats: twice as many each time, up to this. */
const MOST_BEATS = 4
/** Own cells with new rows that are remembered, because a read of the queue may not reach them. */
const MOST_NOTED = 10_000

export class RouteClaimer {
  readonly #parts: RouteClaimerParts
  readonly #routes: Routes
  readonly #turnRequests: TurnRequests
  #table: RoutingTable | null = null
  /** Stages of the table that was loaded, and of the one in force. */
  #stage = 0
  #inForce = 0
  #loading = false
  #mayWait = true
  readonly #noted = new Set<CellId>()
  /** Cells that were moved to other agents, by a table that this agent may not have yet. */
  readonly #movedAway = new Set<CellId>()
  /** Heartbeats until the next read that has no other cause, and what the pause after it will be. */
  #pause = 0
  #nextPause = 1
  /** Cells claimed by this incarnation. */
  taken = 0

  constructor(parts: RouteClaimerParts) {
    this.#parts = parts
    this.#routes = new Routes(parts.assignment, parts)
    this.#turnRequests = new TurnRequests(parts.clock)
  }

  /** The stage of the table in use; 0 while the agent has no current table. */
  get stage(): number {
    return this.#stage === this.#inForce ? this.#stage : 0
  }

  /** Called with every heartbeat. A table of another stage is replaced before any cell is claimed by it. */
  apply({ settings, waiting }: Pick<Heartbeat, 'settings' | 'waiting'>, onReady: () => void): void {
    this.#routes.apply(settings)
    this.#inForce = stageIn(settings)
    if (this.#stage !== this.#inForce) void this.#refresh(this.#inForce, onReady)
    if (waiting > 0 && --this.#pause < 0) this.recheck()
  }

  recheck(): void {
    this.#mayWait = true
  }

  /** These turns are needed for one request: claims no site of these groups meanwhile. */
  turnsRequested(groups: readonly GroupId[]): void {
    this.#turnRequests.announce(groups)
  }

  /** These cells belong to other agents now: does not claim them again by an old table. */
  movedAway(cells: readonly CellId[]): void {
    for (const cell of cells) this.#movedAway.add(cell)
  }

  /** Notifies the owners of cells that gained rows; returns the cells whose owner is unknown. */
  notifyOwners(cells: readonly CellId[]): CellId[] {
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
      for (let i = 0; i < theirs.length; i += MESSAGE_CELLS)
        bus.send({ kind: 'yours', to, cells: theirs.slice(i, i + MESSAGE_CELLS) })
    return unknown
  }

  /** Cells with new rows, which are ours by the table of another agent and are not held. */
  noteCells(cells: readonly CellId[]): void {
    for (const cell of cells) this.#note(cell)
  }

  /** Leases up to `free` own cells that wait; true if there were any. */
  async claim(free: number, isPassedOn: (group: GroupId) => boolean): Promise<boolean> {
    const { ledger, incarnation, leaseMs, leastDelayMs } = this.#parts
    if (!this.#mayWait || free <= 0 || this.stage === 0) return false
    this.#mayWait = false
    const shares = READ_SHARES * free * Math.max(1, this.#routes.members)
    const limit = Math.min(Math.max(shares, LEAST_READ_CELLS), MOST_READ_CELLS)
    const waiting = await ledger.waiting(limit, [incarnation])
    const picked = this.#pick(waiting, free, isPassedOn)
    if (waiting.length === limit) this.#addNoted(picked, free)
    else this.#noted.clear()
    this.#pauseAfter(picked.length)
    if (picked.length === 0) return false
    const leases = await ledger.grant(incarnation, picked, leaseMs, leastDelayMs())
    this.taken += leases.length
    return true
  }

  #note(cell: CellId): void {
    if (this.#noted.size < MOST_NOTED) this.#noted.add(cell)
    this.recheck()
  }

  /** Own cells in the order of the queue, as many as there are lanes. */
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
      if (isPassedOn(row.turn) || this.#movedAway.has(row.cell)) continue
      if (this.#routes.ownerOf(row.cell, table) === incarnation) round.give(row, incarnation)
    }
    return round.given.get(incarnation) ?? []
  }

  /** Adds noted cells, which may be too far down the queue to be read. */
  #addNoted(picked: CellId[], free: number): void {
    const seen = new Set(picked)
    for (const cell of this.#noted) {
      if (picked.length >= free) return
      this.#noted.delete(cell)
      if (!seen.has(cell) && !this.#movedAway.has(cell)) picked.push(cell)
    }
  }

  #pauseAfter(found: number): void {
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
      this.#movedAway.clear()
      this.recheck()
      onReady()
    } catch {
      // The next heartbeat tries again. Meanwhile the coordinator grants the cells.
    } finally {
      this.#loading = false
    }
  }
}
