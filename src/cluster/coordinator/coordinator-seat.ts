/**
 * Leader election: the coordinating incarnation of a process sends heartbeats, and holds the coordinator's
 * seat or waits until it is free. It crawls nothing itself. When the ledger has ended the incarnation because
 * it was silent for too long, another begins.
 */
import type { Bus } from '../../bus/index.js'
import { type CrawlConfig, isLearned } from '../../config/index.js'
import type { Heartbeat, Incarnation, Ledger, SeatStatus } from '../../ledger/index.js'
import { type Clock, type Epoch, type Millis, sleep } from '../../model/index.js'
import { delayAfter } from '../../page/politeness/index.js'
import type { AgentView, Assignment } from '../../plan/assign/index.js'
import { LiveAssignment } from '../../plan/assign/learned/index.js'
import { HEARTBEAT_MS } from '../agent/heartbeat/index.js'
import type { Coordinator, CoordinatorParts } from './coordinator.js'
import { type Proposal, Repartitioner } from './repartitioner.js'
import { newStage } from './route-publisher.js'

/** The coordinating incarnation of every process joins the ledger under this name. */
const NAME = 'coordinator'

type LogEvent = (event: string, fields?: Readonly<Record<string, unknown>>) => void

export interface CoordinatorSeatParts {
  readonly clock: Clock
  readonly config: CrawlConfig
  readonly ledger: Ledger
  readonly bus: Bus
  /** Agents that this process starts with the crawl. */
  readonly expectedAgents: number
  readonly leaseMs: Millis
  readonly log: { readonly info: LogEvent; readonly warn: LogEvent }
  readonly newCoordinator: (parts: CoordinatorParts) => Coordinator
  /** Where agents that do not see the store send their packs. */
  readonly place: () => SeatStatus['place']
  readonly assignment: () => Promise<Assignment>
  /** Returns a better placement of the remaining sites, or null; `renewed` makes the assignment again. */
  readonly propose: (
    assignment: Assignment,
    agents: readonly AgentView[],
    delayMs: Millis,
    renewed: () => Promise<Assignment>,
  ) => Promise<Proposal | null>
  readonly onHeartbeat: (beat: Heartbeat) => void
  /** Called with the epoch when this process takes the seat, and with null when it loses the seat. */
  readonly onSeat: (seat: Epoch | null) => void
  /** Incarnations that the ledger has ended because they were silent. */
  readonly onClosed: (incarnations: readonly Incarnation[]) => Promise<void>
}

export class CoordinatorSeat {
  readonly #parts: CoordinatorSeatParts
  readonly #stopping = new AbortController()
  #incarnation: Incarnation | null = null
  #seat: Epoch | null = null
  #delay: CrawlConfig['delay']

  constructor(parts: CoordinatorSeatParts) {
    this.#parts = parts
    this.#delay = parts.config.delay
  }

  /** The epoch under which this process coordinates, as the ledger last said; null while another does. */
  get seat(): Epoch | null {
    return this.#seat
  }

  /** Begins an incarnation and takes the seat; false while another has it. */
  async claim(): Promise<boolean> {
    const { ledger, leaseMs } = this.#parts
    this.#seat = await ledger.takeSeat(await this.#join(), leaseMs)
    return this.#seat !== null
  }

  /**
   * Sends heartbeats at once, and coordinates after `ready` has resolved. Ends after `release`; rejects when
   * the ledger can no longer be used.
   */
  async run(ready: Promise<unknown>): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const incarnation = await this.#join()
      const over = new AbortController()
      const ended = AbortSignal.any([signal, over.signal])
      const coordinating = ready.then(async () => (await this.#coordinator(incarnation, ended)).run())
      try {
        await Promise.all([coordinating, this.#beat(incarnation, over, ended)])
      } finally {
        over.abort()
      }
      if (signal.aborted) return
      this.#parts.log.warn(
        'the ledger has ended the coordinating incarnation of this process; it begins another',
      )
      this.#incarnation = null
      this.#note(null)
    }
  }

  release(): void {
    this.#stopping.abort()
  }

  /** After `release`: the seat is free at once. */
  async leave(): Promise<void> {
    if (this.#incarnation !== null) await this.#parts.ledger.leave(this.#incarnation)
    this.#seat = null
  }

  async #join(): Promise<Incarnation> {
    this.#incarnation ??= await this.#parts.ledger.join(NAME, 0)
    return this.#incarnation
  }

  get #beatMs(): Millis {
    return Math.min(HEARTBEAT_MS, this.#parts.leaseMs / 10)
  }

  get #delayMs(): Millis {
    return delayAfter(this.#delay, 0)
  }

  async #coordinator(incarnation: Incarnation, signal: AbortSignal): Promise<Coordinator> {
    const { clock, config, ledger, bus, leaseMs, log, expectedAgents, onClosed } = this.#parts
    const assignment = new LiveAssignment(await this.#parts.assignment())
    return this.#parts.newCoordinator({
      clock,
      ledger,
      bus,
      incarnation,
      leaseMs,
      assignment,
      repartitioner: this.#repartitioner(assignment),
      beatMs: this.#beatMs,
      leastDelayMs: () => this.#delayMs,
      slices: config.slices === 'on',
      expectedAgents,
      ordersBySize: true,
      signal,
      onClosed: incarnations => {
        log.warn('agents have stopped sending heartbeats; their sites go to others', { incarnations })
        const failed = (error: Error) =>
          log.warn('the files of these agents could not be recovered; the next resume recovers them', {
            error: error.message,
          })
        void onClosed(incarnations).catch(failed)
      },
    })
  }

  #repartitioner(assignment: LiveAssignment): Repartitioner | null {
    const { clock, config, ledger, bus, log, propose, assignment: renewed } = this.#parts
    if (config.repartition === 0 || !isLearned(config.assign)) return null
    return new Repartitioner({
      clock,
      ledger,
      bus,
      assignment,
      everyMs: config.repartition * 1000,
      restore: async () => {
        await newStage(ledger)
        return renewed()
      },
      propose: agents => propose(assignment, agents, this.#delayMs, renewed),
      log: (event, fields) => log.info(event, fields),
    })
  }

  /**
   * Sends heartbeats and renews the seat, which this process needs before the coordinator starts and after it
   * has ended.
   */
  async #beat(incarnation: Incarnation, over: AbortController, ended: AbortSignal): Promise<void> {
    const { clock, ledger, leaseMs, onHeartbeat } = this.#parts
    while (!ended.aborted) {
      const beat = await ledger.heartbeat(incarnation, leaseMs, this.#status())
      if (!beat.incarnationOpen) return over.abort()
      const { delay = String(this.#delay) } = beat.settings
      this.#delay = delay === 'auto' ? 'auto' : Number(delay)
      this.#note(await ledger.takeSeat(incarnation, leaseMs))
      onHeartbeat(beat)
      await sleep(clock, this.#beatMs, ended)
    }
  }

  #status(): string {
    if (this.#seat === null) return '{}'
    return JSON.stringify({ seat: this.#seat, place: this.#parts.place() } satisfies SeatStatus)
  }

  #note(seat: Epoch | null): void {
    if (seat === this.#seat) return
    this.#seat = seat
    this.#parts.onSeat(seat)
  }
}
