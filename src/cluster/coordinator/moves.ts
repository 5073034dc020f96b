/**
 * Moves the cells that have another agent after a repartition. Their holders are asked to release them with
 * every beat, because the bus may lose messages, until the ledger no longer lists the leases. The moves are
 * in the ledger, so the next coordinator continues them.
 */

import type { Bus } from '../../bus/index.js'
import type { Incarnation, Ledger } from '../../ledger/index.js'
import { addTo, type CellId, type Clock, type Epoch, LIMITS, type Millis } from '../../model/index.js'
import type { AgentView, Assignment } from '../../plan/assign/index.js'
import { MESSAGE_CELLS } from '../limits.js'
import type { Moved } from './repartition-record.js'

/** The setting with the present moves. */
export const MOVES = 'seat.moves'
/**
 * After this many heartbeats the status of an agent includes its last release: one may have been on its way.
 */
const BEATS = 2

/** A cell, its holder, and the epoch of the lease. */
type Move = readonly [cell: CellId, holder: Incarnation, epoch: Epoch]

interface SavedMoves {
  /** The time of their record. */
  readonly at: Millis
  readonly since: Millis
  /** Sites with another agent, and cells to release; null until the new assignment is in force. */
  readonly begun: { readonly movedSites: number; readonly askedBack: number } | null
  readonly moves: readonly Move[]
  /** How many cells each agent had released by force before. */
  readonly forcedBefore: readonly (readonly [Incarnation, number])[]
}

export interface MovesParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly bus: Bus
  readonly assignment: Assignment
  /** A cell that is not released within this time is released by force. */
  readonly graceMs?: Millis | undefined
}

export class Moves {
  readonly #parts: MovesParts
  #saved: SavedMoves
  readonly #outstanding: Map<CellId, Move>
  /** When the last cell was found to be released. */
  #releasedAt: Millis | null = null
  #byForce = false
  /** Heartbeats of each agent since then. */
  readonly #beats = new Map<Incarnation, { at: Millis; count: number }>()

  private constructor(parts: MovesParts, saved: SavedMoves) {
    this.#parts = parts
    this.#saved = saved
    this.#outstanding = new Map(saved.moves.map(move => [move[0], move]))
  }

  /** The time of the record. */
  get at(): Millis {
    return this.#saved.at
  }

  /** Before the repartition: all leased cells may have to move, except those that were taken over. */
  static async prepared(parts: MovesParts, at: Millis, agents: readonly AgentView[]): Promise<Moves> {
    const { ledger, clock } = parts
    const moves: Move[] = []
    for (const { incarnation } of agents)
      for (const { cell, epoch } of await ledger.leases(incarnation, 0))
        if (ownerOf(parts, cell) === incarnation || !takesOver(parts.assignment))
          moves.push([cell, incarnation, epoch])
    const statuses = [...(await forcedBy(ledger))]
    const forcedBefore = statuses.map(([incarnation, { forced }]) => [incarnation, forced] as const)
    return new Moves(parts, { at, since: clock.now(), begun: null, moves, forcedBefore })
  }

  /** The new assignment is in force: keeps the cells that are meant for other agents now. */
  begin(movedSites: number): void {
    for (const [cell, holder] of this.#outstanding.values()) {
      const owner = ownerOf(this.#parts, cell)
      if (owner === null || owner === holder) this.#outstanding.delete(cell)
    }
    const moves = [...this.#outstanding.values()]
    this.#saved = { ...this.#saved, moves, begun: { movedSites, askedBack: moves.length } }
  }

  /** The moves of an earlier coordinator; null if there are none. */
  static restored(parts: MovesParts, settings: Readonly<Record<string, string>>): Moves | null {
    const saved = JSON.parse(settings[MOVES] ?? 'null') as SavedMoves | null
    return saved === null ? null : new Moves(parts, saved)
  }

  /** The setting to write. */
  saved(): Readonly<Record<string, string>> {
    return { [MOVES]: JSON.stringify(this.#saved) }
  }

  /** Called with every beat: the result once all cells are released, null before. */
  async look(agents: readonly AgentView[]): Promise<Moved | null> {
    // The earlier coordinator died before it could count the sites that move.
    if (this.#saved.begun === null) this.begin(0)
    await this.#dropReturned(agents)
    if (this.#outstanding.size > 0) {
      this.#ask()
      return null
    }
    const { clock, ledger } = this.#parts
    const { begun, since } = this.#saved
    this.#releasedAt ??= clock.now()
    const relocationMs = begun!.askedBack === 0 ? 0 : this.#releasedAt - since
    if (!this.#byForce) return { ...begun!, forced: 0, relocationMs }
    const statuses = await forcedBy(ledger)
    return this.#haveReported(statuses)
      ? { ...begun!, forced: this.#forcedSince(statuses), relocationMs }
      : null
  }

  #forcedSince(statuses: ReadonlyMap<Incarnation, ForcedCount>): number {
    const before = new Map(this.#saved.forcedBefore)
    let forced = 0
    for (const [incarnation, status] of statuses)
      forced += Math.max(0, status.forced - (before.get(incarnation) ?? 0))
    return forced
  }

  async #dropReturned(agents: readonly AgentView[]): Promise<void> {
    if (this.#outstanding.size === 0) return
    const { ledger } = this.#parts
    const held = new Map<CellId, Epoch>()
    for (const { incarnation } of agents)
      for (const { cell, epoch } of await ledger.leases(incarnation, 0)) held.set(cell, epoch)
    for (const [cell, holder, epoch] of this.#outstanding.values())
      if (held.get(cell) !== epoch || ownerOf(this.#parts, cell) === holder) this.#outstanding.delete(cell)
  }

  #ask(): void {
    const { bus, clock, graceMs = LIMITS.moveGraceMs } = this.#parts
    const force = clock.now() - this.#saved.since > graceMs
    if (force) this.#byForce = true
    const asked = new Map<Incarnation, CellId[]>()
    for (const [cell, holder] of this.#outstanding.values()) addTo(asked, holder, cell)
    for (const [to, cells] of asked)
      for (let i = 0; i < cells.length; i += MESSAGE_CELLS)
        bus.send({ kind: 'move', to, cells: cells.slice(i, i + MESSAGE_CELLS), force })
  }

  /**
   * True once the heartbeats of all holders include their releases by force. Agents that left are skipped.
   */
  #haveReported(statuses: ReadonlyMap<Incarnation, ForcedCount>): boolean {
    let isAll = true
    for (const incarnation of new Set(this.#saved.moves.map(([, holder]) => holder))) {
      const status = statuses.get(incarnation)
      if (!status) continue
      const known = this.#beats.get(incarnation) ?? { at: status.heartbeatAt, count: 0 }
      if (status.heartbeatAt !== known.at) known.count++
      known.at = status.heartbeatAt
      this.#beats.set(incarnation, known)
      if (known.count < BEATS) isAll = false
    }
    return isAll
  }
}

/** True if an agent with a free lane may take over cells of another agent, which it then keeps. */
export function takesOver({ name }: Assignment): boolean {
  return name === 'hybrid' || name === 'dynamic'
}

/** Null while the owner is away. */
function ownerOf({ assignment }: MovesParts, cell: CellId): Incarnation | null {
  return assignment.intendedOwner?.(cell) ?? null
}

interface ForcedCount {
  readonly heartbeatAt: Millis
  /** Cells that the incarnation has released by force. */
  readonly forced: number
}

async function forcedBy(ledger: Ledger): Promise<Map<Incarnation, ForcedCount>> {
  const statuses = new Map<Incarnation, ForcedCount>()
  for (const { incarnation, status, heartbeatAt } of await ledger.agents()) {
    const { forcedCells = 0 } = JSON.parse(status || '{}') as { forcedCells?: number }
    statuses.set(incarnation, { heartbeatAt, forced: forcedCells })
  }
  return statuses
}
