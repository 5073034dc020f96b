/**
 * Between stages agents with the routing table claim their own cells (S2): the coordinator grants neither
 * these cells nor the lanes for them. If a lane was free and a cell waited for longer than an agent needs to
 * notice both, a notification was lost, and the coordinator grants the cell, as it does to agents without a
 * table.
 */

import type { Incarnation, WaitingCell } from '../../ledger/index.js'
import type { CellId, Clock, Millis } from '../../model/index.js'
import type { AgentView, Assignment } from '../../plan/assign/index.js'

/** An agent notices a new cell at once, or with its next heartbeat. */
const NOTICE_MS: Millis = 1_500
/** A cell that waits for a turn is not read in every round; after this it no longer waits. */
const TURN_MS: Millis = 5_000

interface Rest {
  readonly waiting: readonly WaitingCell[]
  readonly agents: readonly AgentView[]
}

export class SelfRoutedCells {
  readonly #clock: Clock
  readonly #assignment: Assignment
  /** Since when cells wait, and agents have a free lane. */
  #cells = new Map<CellId, Millis>()
  #lanes = new Map<Incarnation, Millis>()
  /** When cells last waited for a turn of another agent: once it is passed on, they are granted at once. */
  readonly #turns = new Map<CellId, Millis>()

  constructor(clock: Clock, assignment: Assignment) {
    this.#clock = clock
    this.#assignment = assignment
  }

  /** The cells that the coordinator has to grant, and the lanes that it may use. */
  without(waiting: readonly WaitingCell[], agents: readonly AgentView[]): Rest {
    const routes = this.#assignment.routes ?? null
    if (routes === null || routes.stage === 0) return { waiting, agents }
    const now = this.#clock.monotonic()
    const free = this.#lanesOf(agents, routes.stage, now)
    const seen = new Map<CellId, Millis>()
    const rest = waiting.filter(row => {
      const owner = routes.isRouted(row.cell) ? (this.#assignment.intendedOwner?.(row.cell) ?? null) : null
      const lanes = owner === null ? undefined : free.get(owner)
      if (owner === null || lanes === undefined || this.#needsTurn(row, owner, now)) return true
      const seenAt = this.#cells.get(row.cell) ?? now
      seen.set(row.cell, seenAt)
      if (lanes === 0) return routes.assignsRest
      if (now - Math.max(seenAt, this.#lanes.get(owner) ?? now) >= NOTICE_MS) return true
      free.set(owner, lanes - 1)
      return false
    })
    this.#cells = seen
    const left = agents.map(agent => ({
      ...agent,
      freeLanes: free.get(agent.incarnation) ?? agent.freeLanes,
    }))
    return { waiting: rest, agents: left }
  }

  /** The free lanes of the agents with the current table. */
  #lanesOf(agents: readonly AgentView[], inForce: number, now: Millis): Map<Incarnation, number> {
    const current = agents.filter(({ stage }) => stage === inForce)
    const free = current.filter(({ freeLanes }) => freeLanes > 0)
    this.#lanes = new Map(free.map(({ incarnation }) => [incarnation, this.#lanes.get(incarnation) ?? now]))
    for (const [cell, at] of this.#turns) if (now - at > TURN_MS) this.#turns.delete(cell)
    return new Map(current.map(({ incarnation, freeLanes }) => [incarnation, freeLanes]))
  }

  /** True if another agent holds the turn and must be asked for it, or held it until now. */
  #needsTurn({ cell, turnOf }: WaitingCell, owner: Incarnation, now: Millis): boolean {
    if (turnOf === null || turnOf === owner) return this.#turns.delete(cell)
    this.#turns.set(cell, now)
    return true
  }
}
