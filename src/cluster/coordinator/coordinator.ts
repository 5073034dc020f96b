/**
 * The coordinator: Algorithm 3.1. S, the cells that wait, is in the ledger, in order; P are the free lanes of
 * the agents. It hands the head of the queue to free lanes as the assignment says, closes agents that have
 * fallen silent (their cells go to the head of the queue, D16), and ends the crawl when nothing waits, is
 * leased or drains (D20).
 *
 * It is a role: any process that sees the ledger may run one, and the one that holds the seat acts. Nothing
 * is kept only in memory, so the next holder goes on where the last one died.
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
import { type Assignment, TurnRequests } from '../../plan/assign/index.js'
import { AgentRegistry } from './agent-registry.js'
import type { Repartitioner } from './repartitioner.js'
import { RoutePublisher } from './route-publisher.js'
import { SelfRoutedCells } from './self-routed-cells.js'
import { SiteTakeover } from './site-takeover.js'
import { StartupQuorum } from './startup-quorum.js'

/** Cells of S that are looked at, at least: the turn of some may be far off. */
const LEAST_LOOK = 100
/** Where an assignment binds cells to lanes, it has to see more of S than the lanes that are free. */
const LOOK_AT_ALL = 100_000
/** An incarnation is closed after this many leases without a word: its cells were free after one. */
const SILENT_LEASES = 2

export interface CoordinatorParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly bus: Bus
  /** In whose name the seat is held. */
  readonly incarnation: Incarnation
  readonly assignment: Assignment
  /** Where cells may be placed anew while the crawl runs. */
  readonly repartitioner?: Repartitioner | null
  readonly leaseMs: Millis
  readonly beatMs: Millis
  /** The least pause between two requests to a site, as set now. */
  readonly leastDelayMs: () => Millis
  /**
   * Agents that the crawl itself has started, or is about to: sites are shared among them from the beginning.
   */
  readonly expectedAgents: number
  /** the queue is ordered by size at the start (D3, D14), not by arrival. */
  readonly ordersBySize: boolean
  readonly signal: StopSignal
  /** Told of incarnations that were closed because they fell silent. */
  readonly onClosed: (incarnations: readonly Incarnation[]) => void
}

export class Coordinator {
  readonly #parts: CoordinatorParts
  readonly #book = new AgentRegistry()
  #seat: Epoch | null = null
  /** Something may wait in S. */
  #mayWait = true
  readonly #wake: WakeUp
  /** Monotonic time of the next look around. */
  #due: Millis = 0
  /**
   * The next look at S shows those too that nobody with a free lane can have, because one without holds the
   * turn: it may be wanted. Where sites are meant for nobody, the holder has them when it has a lane, and
   * nobody could have them sooner.
   */
  #looksAtHeld = false
  readonly #turnRequests: TurnRequests
  readonly #left: SelfRoutedCells
  readonly #routes: RoutePublisher
  readonly #gathering: StartupQuorum
  readonly #takeover: SiteTakeover

  constructor(parts: CoordinatorParts) {
    this.#parts = parts
    this.#wake = new WakeUp(parts.clock)
    this.#turnRequests = new TurnRequests(parts.clock)
    this.#left = new SelfRoutedCells(parts.clock, parts.assignment)
    this.#routes = new RoutePublisher(parts.clock, parts.ledger, parts.bus, parts.assignment)
    this.#gathering = new StartupQuorum(parts.clock, parts.expectedAgents)
    this.#takeover = new SiteTakeover(parts.clock, parts.bus)
    parts.signal.addEventListener('abort', () => this.#wake.notify(), { once: true })
  }

  /** The epoch under which this one coordinates; null while another does. */
  get seat(): Epoch | null {
    return this.#seat
  }

  /**
   * Coordinates until the crawl ends or the signal aborts; null when it was not this one that saw the end.
   */
  async run(): Promise<FinishReason | null> {
    const { bus, signal, beatMs, clock } = this.#parts
    const unsubscribe = bus.subscribe(message => this.#hear(message))
    try {
      while (!signal.aborted) {
        if (clock.monotonic() >= this.#due) {
          this.#due = clock.monotonic() + beatMs
          await this.#lookAround()
        }
        const end = this.#seat === null ? null : await this.#coordinate()
        if (end !== null) return end
        const gatherMs = this.#book.size * LIMITS.gatherMsPerAgent
        if (gatherMs >= 1) await sleep(clock, gatherMs, signal)
        await this.#wake.wait(Math.max(1, this.#due - clock.monotonic()))
      }
      return null
    } finally {
      unsubscribe()
    }
  }

  /** With every beat: the seat, the agents, and those that have fallen silent. */
  async #lookAround(): Promise<void> {
    const { ledger, incarnation, leaseMs, ordersBySize, onClosed, assignment } = this.#parts
    const before = this.#seat
    this.#seat = await ledger.takeSeat(incarnation, leaseMs)
    if (this.#seat === null) return
    const closed = await ledger.closeSilent(SILENT_LEASES * leaseMs)
    if (closed.length > 0) onClosed(closed)
    if (before === null) await this.#parts.repartitioner?.seated()
    if (before === null) assignment.plan?.restore(await ledger.laneLoads())
    if (before === null) await this.#routes.restore()
    if (before === null && ordersBySize) await this.#orderBySize()
    const rows = await ledger.agents()
    this.#book.look(rows)
    this.#mayWait = true
    this.#looksAtHeld = true
    await this.#routes.look(rows, this.#book)
    await this.#parts.repartitioner?.look(this.#book.views())
    // Elsewhere a site that is given back goes to the agent it is meant for, which had it.
    if (assignment.name === 'dynamic') this.#takeover.look(this.#book.loads())
  }

  /** Once in a crawl, whoever does it. */
  async #orderBySize(): Promise<void> {
    const { ledger } = this.#parts
    const settings = await ledger.settings()
    if (settings.ranked === 'true') return
    await ledger.rankBySize()
    await ledger.set({ ranked: 'true' })
  }

  async #coordinate(): Promise<FinishReason | null> {
    const given = await this.#grantWaiting()
    if (given > 0 || !this.#book.isIdle) return null
    const end = await this.#parts.ledger.tryEnd()
    if (end === null) return null
    // Before they know and leave: what they have taken since the last beat counts too.
    await this.#routes.close(this.#book)
    this.#parts.bus.send({ kind: 'ended' })
    return end
  }

  /** Gives free lanes what the assignment picks from S; tells how many cells that were. */
  async #grantWaiting(): Promise<number> {
    const { ledger, bus, assignment } = this.#parts
    if (!this.#mayWait || assignment.looksAt === 'nothing') return 0
    if (!this.#gathering.isOver(this.#book.reported)) return 0
    const agents = this.#book.views()
    const able = agents.filter(({ freeLanes }) => freeLanes > 0)
    const free = able.reduce((sum, { freeLanes }) => sum + freeLanes, 0)
    if (free === 0) return 0
    this.#mayWait = false
    const limit = assignment.looksAt === 'all' ? LOOK_AT_ALL : Math.max(free, LEAST_LOOK)
    const withHeld = this.#looksAtHeld && assignment.looksAt === 'all'
    this.#looksAtHeld = false
    const seen = await ledger.waiting(
      limit,
      withHeld ? undefined : able.map(({ incarnation }) => incarnation),
    )
    const unvisited = this.#turnRequests.without(seen)
    if (unvisited.length < seen.length) this.#mayWait = true
    const { waiting, agents: ours } = this.#left.without(unvisited, agents)
    if (waiting.length === 0) return 0
    const views = ours.map(view => ({ ...view, freeLanes: Math.min(view.freeLanes, waiting.length) }))
    const assigned = assignment.assign(waiting, views)
    const bound = assignment.plan?.takeNew() ?? []
    if (bound.length > 0) await ledger.bind(bound)
    await this.#routes.tell()
    const given = await this.#grantAll(assigned.given, unvisited.length)
    this.#routes.account.gave(given)
    // Said again with every beat, until it is no longer so: the bus may lose it.
    for (const [to, groups] of assigned.wanted) bus.send({ kind: 'wanted', to, groups: [...groups] })
    // What was not given has to wait for a lane, or for its turn.
    if (given < waiting.length || waiting.length === limit) this.#mayWait = true
    return given
  }

  async #grantAll(picked: ReadonlyMap<Incarnation, readonly CellId[]>, waiting: number): Promise<number> {
    const { ledger, bus, leaseMs, leastDelayMs, assignment } = this.#parts
    let left = waiting
    const grantTo = async (to: Incarnation, cells: readonly CellId[]) => {
      const grants = [...byLane(cells, cell => assignment.laneOf?.(cell) ?? 0)].map(async ([lane, bound]) => {
        const leases = await ledger.grant(to, bound, leaseMs, leastDelayMs(), lane)
        this.#book.granted(to, leases)
        left -= leases.length
      })
      await Promise.all(grants)
      bus.send({ kind: 'leases', to, waiting: left })
    }
    // All under way at once: the ledger takes them together, and nobody waits for the answer to another.
    await Promise.all([...picked].map(([to, cells]) => grantTo(to, cells)))
    return waiting - left
  }

  #hear(message: BusMessage): void {
    if (message.kind === 'turn-request') this.#turnRequests.announce(message.groups)
    if (message.kind === 'inbox') this.#mayWait = true
    else if (message.kind !== 'free' || !this.#book.receive(message.from, message.status)) return
    if (this.#mayWait || this.#book.isIdle) this.#wake.notify()
  }
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
