import type { Incarnation, WaitingCell } from '../../../ledger/index.js'
import { addTo, type CellId, type GroupId } from '../../../model/index.js'
import type { AgentView, Assigned } from '../index.js'

/**
 * One round of grants. It counts free lanes, and gives cells that share a politeness turn to one agent,
 * because no other agent could lease them.
 */
export class GrantRound implements Assigned {
  readonly given = new Map<Incarnation, CellId[]>()
  readonly wanted = new Map<Incarnation, Set<GroupId>>()
  readonly #free: Map<Incarnation, number>
  readonly #turns = new Map<GroupId, Incarnation>()
  #left: number

  constructor(agents: readonly AgentView[]) {
    this.#free = new Map(agents.map(({ incarnation, freeLanes }) => [incarnation, Math.max(0, freeLanes)]))
    this.#left = [...this.#free.values()].reduce((sum, free) => sum + free, 0)
  }

  /** No lane is free. */
  get isOver(): boolean {
    return this.#left === 0
  }

  /** The only agent that can lease the cell now; null if any agent can. */
  holderOf({ group, turnOf }: WaitingCell): Incarnation | null {
    return turnOf ?? this.#turns.get(group) ?? null
  }

  hasLane(agent: Incarnation): boolean {
    return (this.#free.get(agent) ?? 0) > 0
  }

  /** The agent with the grants of this round counted. */
  left(view: AgentView): AgentView {
    const given = this.given.get(view.incarnation)?.length ?? 0
    return { ...view, freeLanes: this.#free.get(view.incarnation) ?? 0, held: view.held + given }
  }

  /** Notes a cell that is meant for `owner` if the owner has a free lane but not the turn. */
  want({ turnOf, turn }: WaitingCell, owner: Incarnation | null): void {
    if (turnOf === null || owner === null || owner === turnOf || !this.hasLane(owner)) return
    const turns = this.wanted.get(turnOf)
    if (turns) turns.add(turn)
    else this.wanted.set(turnOf, new Set([turn]))
  }

  /**
   * Grants the cell unless the agent has no free lane, another agent holds the turn, or another agent waits
   * for the turn that this agent holds.
   */
  give(row: WaitingCell, agent: Incarnation): boolean {
    const holder = this.holderOf(row)
    if (!this.hasLane(agent) || (holder !== null && holder !== agent)) return false
    // A holder that gets more cells of the group would never release its turn.
    if (this.wanted.get(agent)?.has(row.turn)) return false
    this.#free.set(agent, this.#free.get(agent)! - 1)
    this.#left--
    this.#turns.set(row.group, agent)
    addTo(this.given, agent, row.cell)
    return true
  }

  /** Grants each cell to its owner, and asks other holders for their turns. */
  giveToOwners(waiting: readonly WaitingCell[], ownerOf: (cell: CellId) => Incarnation | null): void {
    for (const row of waiting) if (row.turnOf !== null) this.want(row, ownerOf(row.cell))
    for (const row of waiting) {
      if (this.isOver) break
      const owner = ownerOf(row.cell)
      if (owner !== null) this.give(row, owner)
    }
  }
}
