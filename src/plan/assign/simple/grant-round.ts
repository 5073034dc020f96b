/**
 * One round of handing cells out: counts free lanes down, and keeps cells that share a politeness turn with
 * one agent, because nobody else could lease them.
 */
import type { Incarnation, WaitingCell } from '../../../ledger/index.js'
import type { CellId, GroupId } from '../../../model/index.js'
import type { AgentView, Assigned } from '../index.js'

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

  /** No lane is free any more. */
  get isOver(): boolean {
    return this.#left === 0
  }

  /** The only agent that can lease the cell now; null when any can. */
  holderOf({ group, turnOf }: WaitingCell): Incarnation | null {
    return turnOf ?? this.#turns.get(group) ?? null
  }

  hasLane(agent: Incarnation): boolean {
    return (this.#free.get(agent) ?? 0) > 0
  }

  /** The agent as it is after what this round has given it. */
  left(view: AgentView): AgentView {
    const given = this.given.get(view.incarnation)?.length ?? 0
    return { ...view, freeLanes: this.#free.get(view.incarnation) ?? 0, held: view.held + given }
  }

  /** Notes that the cell is meant for `owner`, who has a lane for it but not its turn. */
  want({ turnOf, turn }: WaitingCell, owner: Incarnation | null): void {
    if (turnOf === null || owner === null || owner === turnOf || !this.hasLane(owner)) return
    const turns = this.wanted.get(turnOf)
    if (turns) turns.add(turn)
    else this.wanted.set(turnOf, new Set([turn]))
  }

  /**
   * False when the agent has no free lane, another holds the turn, or another waits for the turn that it
   * holds.
   */
  give(row: WaitingCell, agent: Incarnation): boolean {
    const holder = this.holderOf(row)
    if (!this.hasLane(agent) || (holder !== null && holder !== agent)) return false
    // What it has in hand ends first: with one more of that group each time, the turn would never come to
    // others.
    if (this.wanted.get(agent)?.has(row.turn)) return false
    this.#free.set(agent, this.#free.get(agent)! - 1)
    this.#left--
    this.#turns.set(row.group, agent)
    const cells = this.given.get(agent)
    if (cells) cells.push(row.cell)
    else this.given.set(agent, [row.cell])
    return true
  }
}
