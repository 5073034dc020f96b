/**
 * S2: between stages every agent routes on its own. The coordinator leaves an agent that has the table the
 * cells that are meant for it, and the lanes it fills with them. Where a lane was free and a cell waited for
 * longer than it takes an agent to see both, something was lost on the way: then the coordinator gives it, as
 * it does to those who have no table.
 */

import type { Incarnation, WaitingCell } from '../../ledger/index.js'
import type { CellId, Clock, Millis } from '../../model/index.js'
import type { AgentView, Assignment } from '../../plan/assign/index.js'

/** An agent hears of a new cell at once, or looks for it with its next heartbeat. */
const MEND_MS: Millis = 1_500
/** Cells whose turn another holds are not shown in every round. */
const SHOWN_MS: Millis = 5_000

interface Rest {
  readonly waiting: readonly WaitingCell[]
  readonly agents: readonly AgentView[]
}

export class SelfRoutedCells {
  readonly #clock: Clock
  readonly #assignment: Assignment
  /** Since when cells are seen to wait, and agents to have a lane free. */
  #cells = new Map<CellId, Millis>()
  #lanes = new Map<Incarnation, Millis>()
  /**
   * Cells that were seen to wait for a turn, and when last: once it is passed on they have waited for long
   * enough.
   */
  readonly #turns = new Map<CellId, Millis>()

  constructor(clock: Clock, assignment: Assignment) {
    this.#clock = clock
    this.#assignment = assignment
  }

  /** What is not left to them: cells to give out, and lanes to give them to. */
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
      if (now - Math.max(seenAt, this.#lanes.get(owner) ?? now) >= MEND_MS) return true
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

  /** Of those that have the table that is in force. */
  #lanesOf(agents: readonly AgentView[], inForce: number, now: Millis): Map<Incarnation, number> {
    const alone = agents.filter(({ stage }) => stage === inForce)
    const able = alone.filter(({ freeLanes }) => freeLanes > 0)
    this.#lanes = new Map(able.map(({ incarnation }) => [incarnation, this.#lanes.get(incarnation) ?? now]))
    for (const [cell, at] of this.#turns) if (now - at > SHOWN_MS) this.#turns.delete(cell)
    return new Map(alone.map(({ incarnation, freeLanes }) => [incarnation, freeLanes]))
  }

  /** Another has the turn, and has to be told that it is wanted; or had it until now. */
  #needsTurn({ cell, turnOf }: WaitingCell, owner: Incarnation, now: Millis): boolean {
    if (turnOf === null || turnOf === owner) return this.#turns.delete(cell)
    this.#turns.set(cell, now)
    return true
  }
}
