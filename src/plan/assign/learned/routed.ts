import type { Incarnation, WaitingCell } from '../../../ledger/index.js'
import type { CellId, Millis } from '../../../model/index.js'
import type { AgentView, Assigned, Assignment, LanePlan, PartPlan, RoutePlan } from '../index.js'
import { GrantRound, Rendezvous } from '../simple/index.js'
import { isPiece } from './cut-web.js'
import { type PartOwner, PartOwners } from './part-owners.js'
import { PieceOwners } from './piece-owners.js'
import { isRouted } from './routes.js'
import type { RoutingTable } from './routing-table.js'
import { spreadRest } from './spread-rest.js'

/**
 * The assignments by a routing table (H1). Each part of the table has one agent, which crawls and stores its
 * sites. The assignments differ in how the table was made, and in two cases:
 * - Sites that the table does not know, or whose part has no owner, go by hash. With `hybrid` any agent with
 *   a free lane takes them.
 * - With `hybrid` an agent with free lanes also takes sites that wait for other agents (`spread-rest.ts`).
 *
 * The table has pieces of split sites one by one. Pieces that it does not know go to the agent with the least
 * load.
 */
export class RoutedAssignment implements Assignment {
  readonly name: 'graph' | 'hypergraph' | 'hybrid'
  readonly looksAt = 'all'
  readonly plan: LanePlan
  readonly owners: PartPlan
  readonly #table: RoutingTable
  readonly #parts: PartOwners
  readonly #pieces = new PieceOwners()
  readonly #draw = new Rendezvous()
  readonly #stage: number
  #agents: readonly AgentView[] = []

  constructor(name: RoutedAssignment['name'], table: RoutingTable, now: () => Millis, stage = 0) {
    this.name = name
    this.#table = table
    this.#parts = new PartOwners(table.parts, now)
    this.#stage = stage
    this.plan = this.#pieces
    this.owners = this.#parts
  }

  get routes(): RoutePlan {
    return {
      stage: this.#stage,
      members: this.#isHybrid
        ? this.#agents.map(({ name, incarnation }) => ({ name, incarnation, weight: 1 }))
        : this.#draw.members,
      isRouted: cell => isRouted(cell, this.#table),
      assignsRest: this.#isHybrid,
    }
  }

  assign(waiting: readonly WaitingCell[], agents: readonly AgentView[]): Assigned {
    this.#agents = agents
    this.#parts.meet(agents)
    if (!this.#isHybrid) this.#draw.meet(agents)
    this.#pieces.meet(agents)
    this.#pieces.place(waiting.filter(({ cell }) => isPiece(cell) && this.#ownerOf(cell) === 'none'))
    const round = new GrantRound(agents)
    if (this.#isHybrid) this.#assignHybrid(waiting, agents, round)
    else round.giveToOwners(waiting, cell => this.intendedOwner(cell))
    return round
  }

  /** Null while the owner of the part is awaited. */
  intendedOwner(cell: CellId): Incarnation | null {
    const owner = this.#ownerOf(cell)
    if (owner === 'wait') return null
    if (owner !== 'none') return owner.incarnation
    if (isPiece(cell)) return this.#pieces.ownerOf(cell)?.incarnation ?? null
    return this.#isHybrid ? null : (this.#draw.winnerOf(cell)?.incarnation ?? null)
  }

  get #isHybrid(): boolean {
    return this.name === 'hybrid'
  }

  #ownerOf(cell: CellId): PartOwner {
    const part = this.#table.partOf(cell)
    return part < 0 ? 'none' : this.#parts.of(part)
  }

  /** Turns are asked back for pieces only: other sites go to the holder of the turn. */
  #assignHybrid(waiting: readonly WaitingCell[], agents: readonly AgentView[], round: GrantRound): void {
    for (const row of waiting)
      if (row.turnOf !== null && isPiece(row.cell)) round.want(row, this.intendedOwner(row.cell))
    const rest: WaitingCell[] = []
    for (const row of waiting) {
      if (round.isOver) break
      if (this.#ownerOf(row.cell) === 'wait') continue
      const owner = this.intendedOwner(row.cell)
      const isGiven = owner !== null && round.give(row, owner)
      if (!isGiven && !isPiece(row.cell)) rest.push(row)
    }
    spreadRest(rest, agents, round, agent => {
      const part = this.#parts.partOf(agent)
      return cell => (part < 0 ? 0 : this.#table.costOf(cell, part))
    })
  }
}
