/**
 * Sites go where a routing table says, made of what an earlier crawl learned: every part of it has one agent, which fetches
 * and stores its sites (H1). How the table came about makes no difference here: `hypergraph` (`plan-routing.ts`) or another.
 * A site that nothing is known of goes by hash, and so do those of a part that nobody has.
 */
import type { Incarnation, WaitingCell } from '../cluster/index.js'
import { type CellId, siteOfCell } from '../model/cell.js'
import type { Millis } from '../model/clock.js'
import type { AgentView, Assigned, Assignment, AssignmentName, PartPlan } from './assignment.js'
import { HandOut } from './hand-out.js'
import { Rendezvous } from './hash.js'
import { PartOwners } from './part-owners.js'
import type { RoutingTable } from './routing-table.js'

export class RoutedAssignment implements Assignment {
  readonly name: AssignmentName
  readonly looksAt = 'all'
  readonly plan = null
  readonly #table: RoutingTable
  readonly #owners: PartOwners
  readonly #draw = new Rendezvous()

  constructor(name: AssignmentName, table: RoutingTable, now: () => Millis) {
    this.name = name
    this.#table = table
    this.#owners = new PartOwners(table.parts, now)
  }

  get owners(): PartPlan {
    return this.#owners
  }

  assign(waiting: readonly WaitingCell[], agents: readonly AgentView[]): Assigned {
    this.#owners.meet(agents)
    this.#draw.meet(agents)
    const round = new HandOut(agents)
    for (const row of waiting) if (row.turnOf !== null) round.want(row, this.meantFor(row.cell))
    for (const row of waiting) {
      if (round.isOver) break
      const owner = this.meantFor(row.cell)
      if (owner !== null) round.give(row, owner)
    }
    return round
  }

  laneOf(): number {
    return 0
  }

  /** Null while its agent is expected. */
  meantFor(cell: CellId): Incarnation | null {
    // Part of a site that was too heavy for one agent: the parts go by hash, each its own way.
    const part = siteOfCell(cell) === cell ? this.#table.partOf(cell) : -1
    const owner = part < 0 ? 'none' : this.#owners.of(part)
    if (owner === 'wait') return null
    return (owner === 'none' ? this.#draw.winnerOf(cell) : owner)?.incarnation ?? null
  }
}
