/**
 * The coordinator (the papers' Algorithm 3.1) leases waiting cells to free lanes, in the order of the queue
 * and as the assignment says. It closes agents without a heartbeat, whose cells go to the head of the queue
 * (D16), and ends the crawl when no cell waits, is leased or drains (D20).
 *
 * Any process that sees the ledger may run a coordinator; only the holder of the seat acts. Nothing is kept
 * only in memory, so the next holder of the seat continues where the last one died.
 */

import type { BusMessage } from '../../bus/index.js'
import type { FinishReason, Incarnation, Ledger } from '../../ledger/index.js'
import { type Epoch, LIMITS, type Millis, type StopSignal, sleep, WakeUp } from '../../model/index.js'
import { AgentRegistry } from './agent-registry.js'
import { CellGrants, type CellGrantsParts } from './cell-grants.js'
import type { Repartitioner } from './repartitioner.js'
import { RoutePublisher } from './route-publisher.js'
import { SiteTakeover } from './site-takeover.js'

/** An incarnation is closed after this many lease times without a heartbeat; its cells are free after one. */
const SILENT_LEASES = 2

export interface CoordinatorParts extends Omit<CellGrantsParts, 'ledger'> {
  readonly ledger: Ledger
  /** The holder of the seat. */
  readonly incarnation: Incarnation
  /** Null if sites keep their agents while the crawl runs. */
  readonly repartitioner?: Repartitioner | null
  readonly beatMs: Millis
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
  readonly #wake: WakeUp
  /** Monotonic time of the next beat. */
  #due: Millis = 0
  readonly #routes: RoutePublisher
  readonly #grants: CellGrants
  readonly #takeover: SiteTakeover

  constructor(parts: CoordinatorParts) {
    this.#parts = parts
    this.#wake = new WakeUp(parts.clock)
    this.#routes = new RoutePublisher(parts.clock, parts.ledger, parts.bus, parts.assignment)
    this.#grants = new CellGrants(parts, this.#agents, this.#routes)
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
    await this.#grants.beat()
    await this.#routes.look(rows, this.#agents)
    await this.#parts.repartitioner?.look(this.#agents.views())
    // With other assignments a released site would go back to the agent that had it.
    if (assignment.name === 'dynamic') this.#takeover.look(this.#agents.loads())
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
    const granted = await this.#grants.grant()
    if (granted > 0 || !this.#agents.isIdle) return null
    const end = await this.#parts.ledger.tryEnd()
    if (end === null) return null
    // Before the agents leave: cells that they have claimed since the last beat count too.
    await this.#routes.close(this.#agents)
    this.#parts.bus.send({ kind: 'ended' })
    return end
  }

  #receive(message: BusMessage): void {
    if (message.kind === 'turn-request') this.#grants.turnsRequested(message.groups)
    if (message.kind === 'inbox') this.#grants.cellsMayWait()
    else if (message.kind !== 'free' || !this.#agents.receive(message.from, message.status)) return
    if (this.#grants.mayWait || this.#agents.isIdle) this.#wake.notify()
  }
}
