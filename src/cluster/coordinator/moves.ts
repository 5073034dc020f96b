/**
 * Cells that are with the wrong agent since sites were placed anew: asked back with every beat, because the
 * bus may lose it, until the ledger says that they are given back. What is under way stands in the ledger, so
 * the next coordinator goes on with it.
 */

import type { Bus } from '../../bus/index.js'
import type { Incarnation, Ledger } from '../../ledger/index.js'
import { type CellId, type Clock, type Epoch, LIMITS, type Millis } from '../../model/index.js'
import type { AgentView, Assignment } from '../../plan/assign/index.js'
import type { Moved } from './repartition-record.js'

/** Setting: the moves under way. */
export const MOVES = 'seat.moves'
/** Names of cells are long where sites are split, and a word on the bus must be short. */
const CELLS_A_MESSAGE = 20
/**
 * Heartbeats after which the word of an agent is surely later than what it did: one may have been on its way.
 */
const BEATS = 2

/** A cell, who has it, and under which epoch. */
type Move = readonly [cell: CellId, holder: Incarnation, epoch: Epoch]

interface Kept {
  /** Of the record that they belong to. */
  readonly at: Millis
  readonly since: Millis
  /** Sites that have another agent now, and cells asked back in all; null until the change is made. */
  readonly begun: { readonly movedSites: number; readonly askedBack: number } | null
  readonly moves: readonly Move[]
  /** How many cells each agent had given up by force before. */
  readonly forcedBefore: readonly (readonly [Incarnation, number])[]
}

export interface MovesParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly bus: Bus
  readonly assignment: Assignment
  /** A cell that has not come by then is taken by force. */
  readonly graceMs?: Millis | undefined
}

export class Moves {
  readonly #parts: MovesParts
  #kept: Kept
  readonly #outstanding: Map<CellId, Move>
  /** When the last one was found to be back. */
  #backAt: Millis | null = null
  #byForce = false
  /** Heartbeats heard of each agent since then. */
  readonly #beats = new Map<Incarnation, { at: Millis; count: number }>()

  private constructor(parts: MovesParts, kept: Kept) {
    this.#parts = parts
    this.#kept = kept
    this.#outstanding = new Map(kept.moves.map(move => [move[0], move]))
  }

  /** Of the record of that time. */
  get at(): Millis {
    return this.#kept.at
  }

  /** Before the change, what may have to move: all that is leased but bargains. */
  static async prepared(parts: MovesParts, at: Millis, agents: readonly AgentView[]): Promise<Moves> {
    const { ledger, clock } = parts
    const moves: Move[] = []
    for (const { incarnation } of agents)
      for (const { cell, epoch } of await ledger.leases(incarnation, 0))
        if (ownerOf(parts, cell) === incarnation || !takesOver(parts.assignment))
          moves.push([cell, incarnation, epoch])
    const words = [...(await forcedBy(ledger))]
    const forcedBefore = words.map(([incarnation, { forced }]) => [incarnation, forced] as const)
    return new Moves(parts, { at, since: clock.now(), begun: null, moves, forcedBefore })
  }

  /** The change is made: what is meant for others now is asked back. */
  begin(movedSites: number): void {
    for (const [cell, holder] of this.#outstanding.values()) {
      const owner = ownerOf(this.#parts, cell)
      if (owner === null || owner === holder) this.#outstanding.delete(cell)
    }
    const moves = [...this.#outstanding.values()]
    this.#kept = { ...this.#kept, moves, begun: { movedSites, askedBack: moves.length } }
  }

  /** Those that an earlier coordinator has begun; null where there are none. */
  static restored(parts: MovesParts, settings: Readonly<Record<string, string>>): Moves | null {
    const kept = JSON.parse(settings[MOVES] ?? 'null') as Kept | null
    return kept === null ? null : new Moves(parts, kept)
  }

  /** For the ledger. */
  kept(): Readonly<Record<string, string>> {
    return { [MOVES]: JSON.stringify(this.#kept) }
  }

  /** With every beat: what came of it once all are back, null before. */
  async look(agents: readonly AgentView[]): Promise<Moved | null> {
    // The coordinator that made the change did not come to count what it changes.
    if (this.#kept.begun === null) this.begin(0)
    await this.#dropReturned(agents)
    if (this.#outstanding.size > 0) {
      this.#ask()
      return null
    }
    const { clock, ledger } = this.#parts
    const { begun, since } = this.#kept
    this.#backAt ??= clock.now()
    const relocationMs = begun!.askedBack === 0 ? 0 : this.#backAt - since
    if (!this.#byForce) return { ...begun!, forced: 0, relocationMs }
    const words = await forcedBy(ledger)
    return this.#haveSpoken(words) ? { ...begun!, forced: this.#forcedSince(words), relocationMs } : null
  }

  #forcedSince(words: ReadonlyMap<Incarnation, Word>): number {
    const before = new Map(this.#kept.forcedBefore)
    let forced = 0
    for (const [incarnation, word] of words)
      forced += Math.max(0, word.forced - (before.get(incarnation) ?? 0))
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
    const force = clock.now() - this.#kept.since > graceMs
    if (force) this.#byForce = true
    const asked = new Map<Incarnation, CellId[]>()
    for (const [cell, holder] of this.#outstanding.values())
      asked.set(holder, [...(asked.get(holder) ?? []), cell])
    for (const [to, cells] of asked)
      for (let i = 0; i < cells.length; i += CELLS_A_MESSAGE)
        bus.send({ kind: 'move', to, cells: cells.slice(i, i + CELLS_A_MESSAGE), force })
  }

  /** Agents tell with a heartbeat what they gave up by force. One that is gone tells nothing more. */
  #haveSpoken(words: ReadonlyMap<Incarnation, Word>): boolean {
    let isAll = true
    for (const incarnation of new Set(this.#kept.moves.map(([, holder]) => holder))) {
      const word = words.get(incarnation)
      if (!word) continue
      const known = this.#beats.get(incarnation) ?? { at: word.heartbeatAt, count: 0 }
      if (word.heartbeatAt !== known.at) known.count++
      known.at = word.heartbeatAt
      this.#beats.set(incarnation, known)
      if (known.count < BEATS) isAll = false
    }
    return isAll
  }
}

/**
 * True where an agent with a free lane may have the cell of another: that is its bargain, and it keeps it.
 */
export function takesOver({ name }: Assignment): boolean {
  return name === 'hybrid' || name === 'dynamic'
}

/** Null while that agent is away. */
function ownerOf({ assignment }: MovesParts, cell: CellId): Incarnation | null {
  return assignment.intendedOwner?.(cell) ?? null
}

interface Word {
  readonly heartbeatAt: Millis
  /** Cells it has given up by force in its incarnation. */
  readonly forced: number
}

async function forcedBy(ledger: Ledger): Promise<Map<Incarnation, Word>> {
  const words = new Map<Incarnation, Word>()
  for (const { incarnation, status, heartbeatAt } of await ledger.agents()) {
    const { forcedCells = 0 } = JSON.parse(status || '{}') as { forcedCells?: number }
    words.set(incarnation, { heartbeatAt, forced: forcedCells })
  }
  return words
}
