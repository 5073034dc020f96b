/**
 * The coordinator (the papers' Algorithm 3.1) leases waiting cells to free lanes, in the order of the queue
 * and as the assignment says. It closes agents without a heartbeat, whose cells go to the head of the queue
 * (D16), and ends the crawl when no cell waits, is leased or drains (D20).
 *
 * Any process that sees the ledger may run a coordinator; only the holder of the seat acts. Nothing is kept
 * only in memory, so the next holder of the seat continues where the last one died.
 */

import type { Bus, BusMessage } from '../../bus/index.js'
import type { FinishReason, Incarnation, Ledger } from '../../ledger/index.js'
import {
  type CellId,
  type Clock,
  type Epoch,
  LIMITS,
  type Millis,
  type StopSignal,
  sleep,
  WakeUp,
} from '../../model/index.js'
import { type AgentView, type Assignment, TurnRequests } from '../../plan/assign/index.js'
import { ALL_READ_CELLS, LEAST_READ_CELLS } from '../limits.js'
import { AgentRegistry } from './agent-registry.js'
import { FairShares } from './fair-shares.js'
import type { Repartitioner } from './repartitioner.js'
import { RoutePublisher } from './route-publisher.js'
import { SelfRoutedCells } from './self-routed-cells.js'
import { SiteTakeover } from './site-takeover.js'
import { StartupQuorum } from './startup-quorum.js'

/** An incarnation is closed after this many lease times without a heartbeat; its cells are free after one. */
const SILENT_LEASES = 2

export interface CoordinatorParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly bus: Bus
  /** The holder of the seat. */
  readonly incarnation: Incarnation
  readonly assignment: Assignment
  /** Null if sites keep their agents while the crawl runs. */
  readonly repartitioner?: Repartitioner | null
  readonly leaseMs: Millis
  readonly beatMs: Millis
  /** The present politeness delay. */
  readonly leastDelayMs: () => Millis
  /** False if a lane keeps its site to the end and then takes the next at once, as in the paper. */
  readonly slices: boolean
  /** Agents that this crawl starts: sites are shared among them from the beginning. */
  readonly expectedAgents: number
  /** The queue is ordered by size at the start (D3, D14), not by arrival. */
  readonly ordersBySize: boolean
  readonly signal: StopSignal
  /** Called with incarnations that were closed because they sent no heartbeat. */
  readonly onClosed: (incarnations: readonly Incarnation[]) => void
}

export class Coordinator {
  readonly #parts: CoordinatorParts
  readonly #agents = new AgentRegistry()
  #seat: Epoch | null = null
  /** Cells may wait in the queue. */
  #mayWait = true
  readonly #wake: WakeUp
  /** Monotonic time of the next beat. */
  #due: Millis = 0
  /**
   * The next read of the queue includes cells whose turn an agent without a free lane holds: another agent
   * may need the turn. If the assignment means sites for no agent in particular, that is not needed.
   */
  #readsHeld = false
  readonly #turnRequests: TurnRequests
  readonly #selfRouted: SelfRoutedCells
  readonly #routes: RoutePublisher
  readonly #quorum: StartupQuorum
  readonly #shares: FairShares
  readonly #takeover: SiteTakeover

  constructor(parts: CoordinatorParts) {
    this.#parts = parts
    this.#wake = new WakeUp(parts.clock)
    this.#turnRequests = new TurnRequests(parts.clock)
    this.#selfRouted = new SelfRoutedCells(parts.clock, parts.assignment)
    this.#routes = new RoutePublisher(parts.clock, parts.ledger, parts.bus, parts.assignment)
    this.#quorum = new StartupQuorum(parts.clock, parts.expectedAgents)
    this.#shares = new FairShares(parts.clock)
    this.#takeover = new SiteTakeover(parts.clock, parts.bus)
    parts.signal.addEventListener('abort', () => this.#wake.notify(), { once: true })
  }

  /** The epoch of the seat; null while another process holds it. */
  get seat(): Epoch | null {
    return this.#seat
  }

  /**
   * Coordinates until the crawl ends or the signal aborts; null if this coordinator did not end the crawl.
   */
  async run(): Promise<FinishReason | null> {
    const { bus, signal, beatMs, clock } = this.#parts
    const unsubscribe = bus.subscribe(message => this.#receive(message))
    try {
      while (!signal.aborted) {
        if (clock.monotonic() >= this.#due) {
          this.#due = clock.monotonic() + beatMs
          await this.#beat()
        }
        const end = this.#seat === null ? null : await this.#coordinate()
        if (end !== null) return end
        const gatherMs = this.#agents.size * LIMITS.gatherMsPerAgent
        if (gatherMs >= 1) await sleep(clock, gatherMs, signal)
        await this.#wake.wait(Math.max(1, this.#due - clock.monotonic()))
      }
      return null
    } finally {
      unsubscribe()
    }
  }

  /** Renews the seat, closes agents without a heartbeat, and reads the status of the others. */
  async #beat(): Promise<void> {
    const { ledger, incarnation, leaseMs, ordersBySize, onClosed, assignment } = this.#parts
    const wasSeated = this.#seat !== null
    this.#seat = await ledger.takeSeat(incarnation, leaseMs)
    if (this.#seat === null) return
    const closed = await ledger.closeSilent(SILENT_LEASES * leaseMs)
    if (closed.length > 0) onClosed(closed)
    if (!wasSeated) {
      await this.#parts.repartitioner?.seated()
      assignment.plan?.restore(await ledger.laneLoads())
      await this.#routes.restore()
      if (ordersBySize) await this.#orderBySize()
    }
    const rows = await ledger.agents()
    this.#agents.look(rows)
    if (this.#sharesEvenly) await this.#countWaiting()
    this.#mayWait = true
    this.#readsHeld = true
    await this.#routes.look(rows, this.#agents)
    await this.#parts.repartitioner?.look(this.#agents.views())
    // With other assignments a released site would go back to the agent that had it.
    if (assignment.name === 'dynamic') this.#takeover.look(this.#agents.loads())
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

  /** Once in a crawl, by any coordinator. */
  async #orderBySize(): Promise<void> {
    const { ledger } = this.#parts
    const settings = await ledger.settings()
    if (settings.ranked === 'true') return
    await ledger.rankBySize()
    await ledger.set({ ranked: 'true' })
  }

  async #coordinate(): Promise<FinishReason | null> {
    const granted = await this.#grantWaiting()
    if (granted > 0 || !this.#agents.isIdle) return null
    const end = await this.#parts.ledger.tryEnd()
    if (end === null) return null
    // Before the agents leave: cells that they have claimed since the last beat count too.
    await this.#routes.close(this.#agents)
    this.#parts.bus.send({ kind: 'ended' })
    return end
  }

  /** Grants waiting cells to free lanes as the assignment says; returns how many. */
  async #grantWaiting(): Promise<number> {
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
      const grants = [...byLane(cells, cell => assignment.laneOf?.(cell) ?? 0)].map(async ([lane, bound]) => {
        const leases = await ledger.grant(to, bound, leaseMs, leastDelayMs(), lane)
        this.#agents.granted(to, leases)
        granted.set(to, (granted.get(to) ?? 0) + leases.length)
        left -= leases.length
      })
      await Promise.all(grants)
      bus.send({ kind: 'leases', to, waiting: left })
    }
    // All grants are sent together: the ledger commits them in one transaction.
    await Promise.all([...picked].map(([to, cells]) => grantTo(to, cells)))
    return granted
  }

  #receive(message: BusMessage): void {
    if (message.kind === 'turn-request') this.#turnRequests.announce(message.groups)
    if (message.kind === 'inbox') this.#mayWait = true
    else if (message.kind !== 'free' || !this.#agents.receive(message.from, message.status)) return
    if (this.#mayWait || this.#agents.isIdle) this.#wake.notify()
  }
}

function sum(counts: Iterable<number>): number {
  let total = 0
  for (const count of counts) total += count
  return total
}

function byLane(cells: readonly CellId[], laneOf: (cell: CellId) => number): Map<number, CellId[]> {
  const lanes = new Map<number, CellId[]>()
  for (const cell of cells) {
    const lane = laneOf(cell)
    const bound = lanes.get(lane)
    if (bound) bound.push(cell)
    else lanes.set(lane, [cell])
  }
  return lanes
}
