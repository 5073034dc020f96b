/**
 * The coordinating incarnation of a process: it beats, and holds the coordinator's seat or waits until it is
 * free. It crawls nothing itself; agents do. When the ledger has ended its incarnation, because it was silent
 * for too long, it begins another.
 */

import type { Bus } from '../bus/index.js'
import { HEARTBEAT_MS } from '../cluster/agent/heartbeat/index.js'
import { Coordinator, newStage, type Proposal, Repartitioner } from '../cluster/coordinator/index.js'
import { type CrawlConfig, isLearned } from '../config/index.js'
import type { Heartbeat, Incarnation, Ledger, SeatStatus } from '../ledger/index.js'
import { type Epoch, type Millis, type Random, SeededRandom, sleep } from '../model/index.js'
import { delayAfter } from '../page/politeness/index.js'
import type { AgentView, Assignment } from '../plan/assign/index.js'
import { LiveAssignment, type RoutingTable, stageIn } from '../plan/assign/learned/index.js'
import { chooseAssignment } from './choose.js'
import { readFaults } from './faults.js'
import type { Log } from './log.js'
import { systemClock as clock } from './system-clock.js'
import { systemRandom as random } from './system-random.js'

/** A crawl that is asked for twice with the same number makes the same choices. */
function chancesOf({ assignSeed }: CrawlConfig): Random {
  return assignSeed === undefined ? random : new SeededRandom(assignSeed)
}

/** For fault tests: a coordinator that hears nothing, and is heard by nobody. */
const SILENT_BUS: Bus = { send: () => {}, subscribe: () => () => {} }

export interface CoordinatorSeatParts {
  readonly config: CrawlConfig
  readonly ledger: Ledger
  readonly bus: Bus
  /** Agents that this process starts with the crawl. */
  readonly expectedAgents: number
  /** Of its lives. */
  readonly name: string
  readonly leaseMs: Millis
  readonly log: Log
  /** Where agents that do not see the store send their packs. */
  readonly place: () => SeatStatus['place']
  readonly onHeartbeat: (beat: Heartbeat) => void
  /** What a learned assignment goes by; null where there is none. */
  readonly routing: () => Promise<RoutingTable | null>
  /** Whether what is left would be better placed otherwise; `renewed` makes the assignment anew. */
  readonly propose: (
    assignment: Assignment,
    agents: readonly AgentView[],
    delayMs: Millis,
    renewed: () => Promise<Assignment>,
  ) => Promise<Proposal | null>
  /** The seat is ours from now on, or (with null) no longer. */
  readonly onSeat: (seat: Epoch | null) => void
  /** Lives that the ledger has ended because they were silent. */
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
    const { ledger, name, leaseMs } = this.#parts
    this.#incarnation ??= await ledger.join(name, 0)
    this.#seat = await ledger.takeSeat(this.#incarnation, leaseMs)
    return this.#seat !== null
  }

  /**
   * Beats at once, coordinates when all is `ready`. Until `release`; rejects when the ledger can no longer be
   * used.
   */
  async run(ready: Promise<unknown>): Promise<void> {
    const { ledger, name } = this.#parts
    const { signal } = this.#stopping
    while (!signal.aborted) {
      this.#incarnation ??= await ledger.join(name, 0)
      const incarnation = this.#incarnation
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

  get #beatMs(): Millis {
    return Math.min(HEARTBEAT_MS, this.#parts.leaseMs / 10)
  }

  async #coordinator(incarnation: Incarnation, signal: AbortSignal): Promise<Coordinator> {
    const { ledger, bus, leaseMs, log, onClosed } = this.#parts
    const { roundsMs } = readFaults(process.env.ORBWEAVER_FAULTS)
    const assignment = new LiveAssignment(await this.#assignment())
    return new Coordinator({
      clock,
      ledger,
      bus: roundsMs === null ? bus : SILENT_BUS,
      incarnation,
      leaseMs,
      assignment,
      repartitioner: this.#repartitioner(assignment),
      beatMs: roundsMs ?? this.#beatMs,
      leastDelayMs: () => delayAfter(this.#delay, 0),
      expectedAgents: this.#parts.expectedAgents,
      ordersBySize: true,
      signal,
      onClosed: incarnations => {
        log.warn('agents have stopped sending heartbeats; their sites go to others', { incarnations })
        const failed = (error: Error) => log.warn('their files wait for a resume', { error: error.message })
        void onClosed(incarnations).catch(failed)
      },
    })
  }

  async #assignment(): Promise<Assignment> {
    const { config, ledger, routing } = this.#parts
    const table = isLearned(config.assign) ? await routing() : null
    const stage = table === null ? 0 : stageIn(await ledger.settings())
    return chooseAssignment(
      config.assign,
      chancesOf(config),
      table && { table, stage, now: () => clock.monotonic() },
    )
  }

  #repartitioner(assignment: LiveAssignment): Repartitioner | null {
    const { config, ledger, bus, log, propose } = this.#parts
    if (config.repartition === 0 || !isLearned(config.assign)) return null
    const renewed = () => this.#assignment()
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
      propose: agents => propose(assignment, agents, delayAfter(this.#delay, 0), renewed),
      log: (event, fields) => log.info(event, fields),
    })
  }

  /**
   * The seat is renewed here too: also before and after the coordinator is at work there is something to do
   * under it.
   */
  async #beat(incarnation: Incarnation, over: AbortController, ended: AbortSignal): Promise<void> {
    const { ledger, leaseMs, onHeartbeat } = this.#parts
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
