/**
 * Our own: hypergraph-seeded dynamic. An agent first takes the sites of its part, in the order of the queue;
 * when none of them waits and it has a lane free, it takes sites that nothing is known of, and then those of
 * others whose links have to travel least if they are crawled here. So no lane is idle while anything waits,
 * and few links pay for that. Pieces of a site that was split are no bargain: they share one turn, so taking
 * one over brings no page sooner, and they are where they are for balance.
 */
import type { Incarnation, WaitingCell } from '../../../ledger/index.js'
import { type CellId, Heap, type Millis } from '../../../model/index.js'
import type {
  AgentView,
  Assigned,
  Assignment,
  LanePlan,
  PartPlan,
  RoutePlan,
  RoutingMember,
} from '../index.js'
import { FreeLanes, GrantRound } from '../simple/index.js'
import { isPiece } from './cut-web.js'
import { type PartOwner, PartOwners } from './part-owners.js'
import { PieceOwners } from './piece-owners.js'
import { isRouted } from './routes.js'
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
  readonly #table: RoutingTable
  readonly #owners: PartOwners
  readonly #room = new PieceOwners()
  readonly #stage: number
  #members: readonly RoutingMember[] = []

  constructor(table: RoutingTable, now: () => Millis, stage = 0) {
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

  /** An agent takes the sites of its part itself; what is left of them is for those that have run dry. */
  get routes(): RoutePlan {
    return {
      stage: this.#stage,
      members: this.#members,
      isRouted: cell => isRouted(cell, this.#table),
      assignsRest: true,
    }
  }

  assign(waiting: readonly WaitingCell[], agents: readonly AgentView[]): Assigned {
    this.#owners.meet(agents)
    this.#room.meet(agents)
    this.#room.place(waiting.filter(({ cell }) => isPiece(cell) && this.#ownerOf(cell) === 'none'))
    this.#members = agents.map(({ name, incarnation }) => ({ name, incarnation, weight: 1 }))
    const round = new GrantRound(agents)
    for (const row of waiting)
      if (row.turnOf !== null && isPiece(row.cell)) round.want(row, this.intendedOwner(row.cell))
    const left: WaitingCell[] = []
    for (const row of waiting) {
      if (round.isOver) break
      if (this.#ownerOf(row.cell) === 'wait') continue
      const owner = this.intendedOwner(row.cell)
      const isGiven = owner !== null && round.give(row, owner)
      if (!isGiven && !isPiece(row.cell)) left.push(row)
    }
    this.#share(left, agents, round)
    return round
  }

  /**
   * What its own agent has no lane for, and what nobody owns, is spread by load; each takes what costs it
   * least.
   */
  #share(rest: readonly WaitingCell[], agents: readonly AgentView[], round: GrantRound): void {
    const left: WaitingCell[] = []
    for (const row of rest) {
      const holder = round.holderOf(row)
      if (holder === null) left.push(row)
      else round.give(row, holder)
    }
    const dry = agents.map(view => round.left(view)).filter(({ freeLanes }) => freeLanes > 0)
    const lanes = new FreeLanes(dry)
    const quotas = new Map<Incarnation, number>()
    for (let i = 0; i < left.length; i++) {
      const agent = lanes.first
      if (agent === null) break
      lanes.take(agent)
      quotas.set(agent, (quotas.get(agent) ?? 0) + 1)
    }
    // The agent with most lanes free chooses first: it has run driest.
    dry.sort((a, b) => b.freeLanes - a.freeLanes || (a.name < b.name ? -1 : 1))
    for (const agent of dry) this.#fill(agent, left, round, quotas.get(agent.incarnation) ?? 0)
  }

  intendedOwner(cell: CellId): Incarnation | null {
    const owner = this.#ownerOf(cell)
    if (typeof owner !== 'string') return owner.incarnation
    return (owner === 'none' && this.#room.ownerOf(cell)?.incarnation) || null
  }

  #ownerOf(cell: CellId): PartOwner {
    const part = this.#table.partOf(cell)
    return part < 0 ? 'none' : this.#owners.of(part)
  }

  laneOf(): number {
    return 0
  }

  /** Gives an agent the cheapest of what is left, as many as its quota. */
  #fill(agent: AgentView, left: WaitingCell[], round: GrantRound, quota: number): void {
    if (quota === 0) return
    const part = this.#owners.partOf(agent)
    const free: Bargain[] = []
    for (const [place, row] of left.entries()) {
      const holder = round.holderOf(row)
      if (holder !== null && holder !== agent.incarnation) continue
      const cost = part < 0 ? 0 : this.#table.costOf(row.cell, part)
      free.push({ row, cost, place })
    }
    const bargains = new Heap<Bargain>(
      (a, b) => a.cost < b.cost || (a.cost === b.cost && a.place < b.place),
      free,
    )
    const given = new Set<WaitingCell>()
    for (let best = bargains.first; best !== undefined && given.size < quota; best = bargains.first) {
      bargains.shift()
      if (round.give(best.row, agent.incarnation)) given.add(best.row)
    }
    if (given.size === 0) return
    const rest = left.filter(row => !given.has(row))
    left.length = 0
    for (const row of rest) left.push(row)
  }
}
