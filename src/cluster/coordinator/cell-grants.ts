/**
 * Grants waiting cells to free lanes. The assignment chooses; before it is asked, cells whose turn somebody
 * else needs and cells that agents claim themselves are left out. All grants of a round are one transaction.
 */
import type { Bus } from '../../bus/index.js'
import type { Incarnation, Ledger } from '../../ledger/index.js'
import { type CellId, type Clock, type GroupId, groupBy, type Millis, sum } from '../../model/index.js'
import { type AgentView, type Assignment, TurnRequests } from '../../plan/assign/index.js'
import { ALL_READ_CELLS, LEAST_READ_CELLS } from '../limits.js'
import type { AgentRegistry } from './agent-registry.js'
import { FairShares } from './fair-shares.js'
import type { RoutePublisher } from './route-publisher.js'
import { SelfRoutedCells } from './self-routed-cells.js'
import { StartupQuorum } from './startup-quorum.js'

export interface CellGrantsParts {
  readonly clock: Clock
  readonly ledger: Pick<Ledger, 'bind' | 'countWaiting' | 'grant' | 'waiting'>
  readonly bus: Bus
  readonly assignment: Assignment
  readonly leaseMs: Millis
  /** The present politeness delay. */
  readonly leastDelayMs: () => Millis
  /** False if a lane keeps its site to the end and then takes the next at once, as in the paper. */
  readonly slices: boolean
  /** Agents that this crawl starts: sites are shared among them from the beginning. */
  readonly expectedAgents: number
}

export class CellGrants {
  readonly #parts: CellGrantsParts
  readonly #agents: AgentRegistry
  readonly #routes: RoutePublisher
  /** Cells may wait in the queue. */
  #mayWait = true
  /**
   * The next read of the queue includes cells whose turn an agent without a free lane holds: another agent
   * may need the turn. If the assignment means sites for no agent in particular, that is not needed.
   */
  #readsHeld = false
  readonly #turnRequests: TurnRequests
  readonly #selfRouted: SelfRoutedCells
  readonly #quorum: StartupQuorum
  readonly #shares: FairShares

  constructor(parts: CellGrantsParts, agents: AgentRegistry, routes: RoutePublisher) {
    this.#parts = parts
    this.#agents = agents
    this.#routes = routes
    this.#turnRequests = new TurnRequests(parts.clock)
    this.#selfRouted = new SelfRoutedCells(parts.clock, parts.assignment)
    this.#quorum = new StartupQuorum(parts.clock, parts.expectedAgents)
    this.#shares = new FairShares(parts.clock)
  }

  get mayWait(): boolean {
    return this.#mayWait
  }

  cellsMayWait(): void {
    this.#mayWait = true
  }

  /** Another agent needs the turns of these groups. */
  turnsRequested(groups: readonly GroupId[]): void {
    this.#turnRequests.announce(groups)
  }

  /** Called with every beat: looks at the whole queue again. */
  async beat(): Promise<void> {
    if (this.#sharesEvenly) await this.#countWaiting()
    this.#mayWait = true
    this.#readsHeld = true
  }

  /** Grants waiting cells to free lanes as the assignment says; returns how many. */
  async grant(): Promise<number> {
    const { ledger, bus, assignment } = this.#parts
    if (!this.#mayWait || assignment.looksAt === 'nothing') return 0
    if (!this.#quorum.isOver(this.#agents.reported, this.#agents.starting)) return 0
    const agents = this.#agents.views()
    const eligible = agents.filter(({ freeLanes }) => freeLanes > 0)
    const free = eligible.reduce((sum, { freeLanes }) => sum + freeLanes, 0)
    if (free === 0) return 0
    this.#mayWait = false
    const limit = assignment.looksAt === 'all' ? ALL_READ_CELLS : Math.max(free, LEAST_READ_CELLS)
    const withHeld = this.#readsHeld && assignment.looksAt === 'all'
    this.#readsHeld = false
    const claimants = withHeld ? undefined : eligible.map(({ incarnation }) => incarnation)
    const read = await ledger.waiting(limit, claimants)
    const unrequested = this.#turnRequests.without(read)
    if (unrequested.length < read.length) this.#mayWait = true
    const { waiting, agents: ours } = this.#selfRouted.without(unrequested, agents)
    if (waiting.length === 0) return 0
    const offers = ours.map(view => ({ ...view, freeLanes: Math.min(view.freeLanes, waiting.length) }))
    const assigned = assignment.assign(waiting, this.#withQuotas(offers, read.length, read.length === limit))
    const bound = assignment.plan?.takeNew() ?? []
    if (bound.length > 0) await ledger.bind(bound)
    await this.#routes.publish()
    const grants = await this.#grantAll(assigned.given, unrequested.length)
    this.#shares.granted(grants)
    const granted = sum(grants.values())
    this.#routes.account.granted(granted)
    // Sent again with every beat while the turns are needed: the bus may lose messages.
    for (const [to, groups] of assigned.wanted) bus.send({ kind: 'wanted', to, groups: [...groups] })
    // The other cells wait for a lane or for their turn.
    if (granted < waiting.length || waiting.length === limit) this.#mayWait = true
    return granted
  }

  /** Assignments that look at the whole queue know themselves which agent each cell is meant for. */
  get #sharesEvenly(): boolean {
    return this.#parts.slices && this.#parts.assignment.looksAt === 'head'
  }

  async #countWaiting(): Promise<void> {
    // Twice the lanes: the shares count from before the first cells of a short queue are granted.
    const limit = Math.min(ALL_READ_CELLS, 2 * this.#agents.lanes)
    this.#shares.counted(await this.#parts.ledger.countWaiting(limit), limit)
  }

  #withQuotas(views: readonly AgentView[], read: number, hasMore: boolean): readonly AgentView[] {
    if (!this.#sharesEvenly) return views
    const quotas = this.#shares.quotas(this.#agents.loads(), read, hasMore)
    return views.map(view => ({ ...view, quota: quotas.get(view.incarnation) ?? view.freeLanes }))
  }

  /** Returns how many cells each agent was granted. */
  async #grantAll(
    picked: ReadonlyMap<Incarnation, readonly CellId[]>,
    waiting: number,
  ): Promise<ReadonlyMap<Incarnation, number>> {
    const { ledger, bus, leaseMs, leastDelayMs, assignment } = this.#parts
    const granted = new Map<Incarnation, number>()
    let left = waiting
    const grantTo = async (to: Incarnation, cells: readonly CellId[]) => {
      const grants = [...groupBy(cells, cell => assignment.laneOf?.(cell) ?? 0)].map(
        async ([lane, bound]) => {
          const leases = await ledger.grant(to, bound, leaseMs, leastDelayMs(), lane)
          this.#agents.granted(to, leases)
          granted.set(to, (granted.get(to) ?? 0) + leases.length)
          left -= leases.length
        },
      )
      await Promise.all(grants)
      bus.send({ kind: 'leases', to, waiting: left })
    }
    // All grants are sent together: the ledger commits them in one transaction.
    await Promise.all([...picked].map(([to, cells]) => grantTo(to, cells)))
    return granted
  }
}
