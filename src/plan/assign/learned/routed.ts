/**
 * Sites go where a routing table says, made of what an earlier crawl learned: every part of it has one agent,
 * which fetches and stores its sites (H1). How the table came about makes no difference here: `hypergraph`
 * (`plan-routing.ts`) or another. A site that nothing is known of goes by hash, and so do those of a part
 * that nobody has. Pieces of a site that was split are in the table each for itself; others go where there is
 * room.
 */

import type { AssignmentName } from '../../../config/index.js'
import type { Incarnation, WaitingCell } from '../../../ledger/index.js'
import type { CellId, Millis } from '../../../model/index.js'
import type { AgentView, Assigned, Assignment, LanePlan, PartPlan, RoutePlan } from '../index.js'
import { GrantRound, Rendezvous } from '../simple/index.js'
import { isPiece } from './cut-web.js'
import { type PartOwner, PartOwners } from './part-owners.js'
import { PieceOwners } from './piece-owners.js'
import { isRouted } from './routes.js'
import type { RoutingTable } from './routing-table.js'

export class RoutedAssignment implements Assignment {
  readonly name: AssignmentName
  readonly looksAt = 'all'
  readonly #table: RoutingTable
  readonly #owners: PartOwners
  readonly #draw = new Rendezvous()
  readonly #room = new PieceOwners()
  readonly #stage: number

  constructor(name: AssignmentName, table: RoutingTable, now: () => Millis, stage = 0) {
    this.name = name
    this.#stage = stage
    this.#table = table
    this.#owners = new PartOwners(table.parts, now)
  }

  get owners(): PartPlan {
    return this.#owners
  }

  get plan(): LanePlan {
    return this.#room
  }

  get routes(): RoutePlan {
    return {
      stage: this.#stage,
      members: this.#draw.members,
      isRouted: cell => isRouted(cell, this.#table),
      assignsRest: false,
    }
  }

  assign(waiting: readonly WaitingCell[], agents: readonly AgentView[]): Assigned {
    this.#owners.meet(agents)
    this.#draw.meet(agents)
    this.#room.meet(agents)
    this.#room.place(waiting.filter(({ cell }) => isPiece(cell) && this.#ownerOf(cell) === 'none'))
    const round = new GrantRound(agents)
    for (const row of waiting) if (row.turnOf !== null) round.want(row, this.intendedOwner(row.cell))
    for (const row of waiting) {
      if (round.isOver) break
      const owner = this.intendedOwner(row.cell)
      if (owner !== null) round.give(row, owner)
    }
    return round
  }

  laneOf(): number {
    return 0
  }

  /** Null while its agent is expected. */
  intendedOwner(cell: CellId): Incarnation | null {
    const owner = this.#ownerOf(cell)
    if (owner === 'wait') return null
    if (owner !== 'none') return owner.incarnation
    const agent = isPiece(cell) ? this.#room.ownerOf(cell) : this.#draw.winnerOf(cell)
    return agent?.incarnation ?? null
  }

  #ownerOf(cell: CellId): PartOwner {
    const part = this.#table.partOf(cell)
    return part < 0 ? 'none' : this.#owners.of(part)
  }
}
