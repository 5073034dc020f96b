import type { LaneLoad, WaitingCell } from '../../../ledger/index.js'
import { type CellId, Heap, type Random } from '../../../model/index.js'
import type { AgentView, Assigned, Assignment, BoundCell, LanePlan } from '../index.js'
import { GrantRound } from './grant-round.js'

interface LoadedLane {
  readonly agent: string
  /** Within its agent, from 1. */
  readonly lane: number
  load: number
  /** Decides between lanes of equal load. */
  readonly order: number
}

/**
 * The static partitions that the dynamic one is compared with. A site is bound to a lane when it is
 * first seen and waits for that lane, even if others are idle. `static-random` gives each lane about the same
 * number of sites, `static-size` about the same number of pages. A site is bound again only if its agent has
 * left.
 */
export class StaticAssignment implements Assignment, LanePlan {
  readonly name: 'static-random' | 'static-size'
  readonly looksAt = 'all'
  readonly #random: Random
  /** Bindings of the cells seen since this coordinator started; earlier ones are read from the ledger. */
  readonly #bound = new Map<CellId, LoadedLane>()
  #new: BoundCell[] = []
  /** Loads of lanes from before this coordinator started. */
  readonly #before = new Map<string, number>()
  /** The lanes of each present agent. */
  #lanes = new Map<string, LoadedLane[]>()
  #lanesByLoad = newHeap()

  constructor(name: StaticAssignment['name'], random: Random) {
    this.name = name
    this.#random = random
  }

  get plan(): LanePlan {
    return this
  }

  restore(loads: readonly LaneLoad[]): void {
    for (const { agent, lane, cells, size } of loads)
      this.#before.set(`${agent} ${lane}`, this.name === 'static-size' ? size : cells)
  }

  takeNew(): readonly BoundCell[] {
    const bound = this.#new
    this.#new = []
    return bound
  }

  assign(waiting: readonly WaitingCell[], agents: readonly AgentView[]): Assigned {
    this.#meet(agents)
    this.#bind(waiting)
    const offers = new Map(agents.map(agent => [agent.name, { agent, idle: idleLanes(agent) }]))
    const round = new GrantRound(agents)
    for (const row of waiting) {
      const lane = row.turnOf === null ? undefined : this.#bound.get(row.cell)
      const offer = lane && offers.get(lane.agent)
      if (lane && offer?.idle.has(lane.lane)) round.want(row, offer.agent.incarnation)
    }
    for (const row of waiting) {
      if (round.isOver) break
      const lane = this.#bound.get(row.cell)
      const offer = lane && offers.get(lane.agent)
      if (!lane || !offer?.idle.has(lane.lane)) continue
      if (round.give(row, offer.agent.incarnation)) offer.idle.delete(lane.lane)
    }
    return round
  }

  laneOf(cell: CellId): number {
    return this.#bound.get(cell)?.lane ?? 0
  }

  /** When agents have joined or left, frees the cells of those that have left; all other loads stay. */
  #meet(agents: readonly AgentView[]): void {
    const same = (known: readonly LoadedLane[] | undefined, { lanes }: AgentView) => known?.length === lanes
    if (
      agents.length === this.#lanes.size &&
      agents.every(agent => same(this.#lanes.get(agent.name), agent))
    ) {
      return
    }
    const before = this.#lanes
    this.#lanes = new Map()
    this.#lanesByLoad = newHeap()
    for (const { name, lanes } of [...agents].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const known = before.get(name) ?? []
      const own = Array.from({ length: lanes }, (_, i) => known[i] ?? this.#newLane(name, i + 1))
      this.#lanes.set(name, own)
      for (const lane of own) this.#lanesByLoad.push(lane)
    }
    for (const [cell, { agent, lane }] of this.#bound)
      if (lane > (this.#lanes.get(agent)?.length ?? 0)) this.#bound.delete(cell)
  }

  #newLane(agent: string, lane: number): LoadedLane {
    return { agent, lane, load: this.#before.get(`${agent} ${lane}`) ?? 0, order: this.#random.next() }
  }

  /** Takes over a binding of an earlier coordinator if its lane is present. */
  #recall({ cell, boundTo }: WaitingCell): boolean {
    const lane = boundTo === null ? undefined : this.#lanes.get(boundTo.agent)?.[boundTo.lane - 1]
    if (lane === undefined) return false
    this.#bound.set(cell, lane)
    return true
  }

  #bind(waiting: readonly WaitingCell[]): void {
    const fresh = waiting.filter(row => !this.#bound.has(row.cell) && !this.#recall(row))
    if (fresh.length === 0) return
    const bySize = this.name === 'static-size'
    if (bySize) fresh.sort((a, b) => b.size - a.size)
    else shuffle(fresh, this.#random)
    for (const { cell, size } of fresh) {
      const lane = this.#lanesByLoad.first
      if (lane === undefined) return
      this.#bound.set(cell, lane)
      this.#new.push({ cell, agent: lane.agent, lane: lane.lane })
      lane.load += bySize ? Math.max(1, size) : 1
      this.#lanesByLoad.firstChanged()
    }
  }
}

function newHeap(): Heap<LoadedLane> {
  return new Heap((a, b) => a.load < b.load || (a.load === b.load && a.order < b.order))
}

/** Numbers of the lanes without a site. */
function idleLanes({ lanes, busyLanes }: AgentView): Set<number> {
  const idle = new Set<number>()
  for (let lane = 1; lane <= lanes; lane++) idle.add(lane)
  for (const lane of busyLanes) idle.delete(lane)
  return idle
}

function shuffle<T>(items: T[], random: Random): void {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random.next() * (i + 1))
    const kept = items[i]
    items[i] = items[j]
    items[j] = kept
  }
}
