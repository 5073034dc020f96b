/**
 * Our own: hypergraph-seeded dynamic. An agent first takes the sites of its part, in the order of S; when none of them waits
 * and it has a lane free, it takes sites that nothing is known of, and then those of others whose links have to travel least
 * if they are crawled here. So no lane is idle while anything waits, and few links pay for that.
 */
import type { Incarnation, WaitingCell } from '../cluster/index.js'
import { type CellId, siteOfCell } from '../model/cell.js'
import type { Millis } from '../model/clock.js'
import { Heap } from '../model/heap.js'
import type { AgentView, Assigned, Assignment, PartPlan } from './assignment.js'
import { HandOut } from './hand-out.js'
import { PartOwners } from './part-owners.js'
import type { RoutingTable } from './routing-table.js'

/** A site that waits although lanes are free, and what it costs an agent to take it. */
interface Bargain {
  readonly row: WaitingCell
  readonly cost: number
  /** In S. */
  readonly place: number
}

export class HybridAssignment implements Assignment {
  readonly name = 'hybrid'
  readonly looksAt = 'all'
  readonly plan = null
  readonly #table: RoutingTable
  readonly #owners: PartOwners

  constructor(table: RoutingTable, now: () => Millis) {
    this.#table = table
    this.#owners = new PartOwners(table.parts, now)
  }

  get owners(): PartPlan {
    return this.#owners
  }

  assign(waiting: readonly WaitingCell[], agents: readonly AgentView[]): Assigned {
    this.#owners.meet(agents)
    const round = new HandOut(agents)
    const left: WaitingCell[] = []
    for (const row of waiting) {
      if (round.isOver) break
      // A part of a site that was too heavy for one agent goes to whoever has a lane.
      const part = siteOfCell(row.cell) === row.cell ? this.#table.partOf(row.cell) : -1
      const owner = part < 0 ? 'none' : this.#owners.of(part)
      if (owner === 'wait') continue
      if (owner === 'none' || !round.give(row, owner.incarnation)) left.push(row)
    }
    // Who has most lanes free chooses first: it has run driest.
    const dry = agents.filter(({ incarnation }) => round.hasLane(incarnation))
    dry.sort((a, b) => b.freeLanes - a.freeLanes || (a.name < b.name ? -1 : 1))
    for (const agent of dry) this.#fill(agent, left, round)
    return round
  }

  meantFor(cell: CellId): Incarnation | null {
    const part = siteOfCell(cell) === cell ? this.#table.partOf(cell) : -1
    const owner = part < 0 ? 'none' : this.#owners.of(part)
    return typeof owner === 'string' ? null : owner.incarnation
  }

  laneOf(): number {
    return 0
  }

  /** Gives an agent with free lanes the cheapest of what is left, until it has none. */
  #fill(agent: AgentView, left: WaitingCell[], round: HandOut): void {
    const part = this.#owners.partOf(agent)
    const free: Bargain[] = []
    for (const [place, row] of left.entries()) {
      const holder = round.holderOf(row)
      if (holder !== null && holder !== agent.incarnation) continue
      const cost = part < 0 ? 0 : this.#table.costOf(siteOfCell(row.cell), part)
      free.push({ row, cost, place })
    }
    const bargains = new Heap<Bargain>(
      (a, b) => a.cost < b.cost || (a.cost === b.cost && a.place < b.place),
      free,
    )
    const given = new Set<WaitingCell>()
    for (
      let best = bargains.first;
      best !== undefined && round.hasLane(agent.incarnation);
      best = bargains.first
    ) {
      bargains.shift()
      if (round.give(best.row, agent.incarnation)) given.add(best.row)
    }
    if (given.size === 0) return
    const rest = left.filter(row => !given.has(row))
    left.length = 0
    for (const row of rest) left.push(row)
  }
}
