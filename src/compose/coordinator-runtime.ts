/**
 * What a process with the store at hand does for the crawl as a whole: it stands by for the coordinator's
 * seat, and under it settles the files of incarnations that are over, merges tables, answers the user, and
 * brings the crawl to its end. All of that moves with the seat: whoever has it next finds in the ledger where
 * the last one was.
 */

import type { LocalBus } from '../bus/index.js'
import type { CrawlConfig } from '../config/index.js'
import { TableMerger } from '../data/store/index.js'
import { writeManifest } from '../data/store/tables/index.js'
import type { Heartbeat, Incarnation, Ledger } from '../ledger/index.js'
import { type Epoch, type Millis, sleep } from '../model/index.js'
import type { LedgerCount, Report } from '../report/index.js'
import {
  AgentAbilities,
  DiskFullError,
  type DiskGuard,
  tableOf,
  UsageMeter,
  type UsageStart,
  usageStartNow,
  writeSitesTable,
} from '../runtime/index.js'
import type { AgentPool } from './agent-pool.js'
import { CoordinatorSeat } from './coordinator-seat.js'
import { FileRecovery } from './file-recovery.js'
import { checkPairNow } from './generation.js'
import { countLedger, HeartbeatTasks } from './heartbeat-tasks.js'
import { keepLearned } from './keep-learned.js'
import type { Log } from './log.js'
import { type ListenPlace, PackEndpoint } from './pack-endpoint.js'
import { proposeRepartition } from './propose-repartition.js'
import { type RecoverySummary, removeStrayTables } from './recovery.js'
import { RemoteAgents } from './remote-agents.js'
import { CONCLUDED, writeReport } from './run-report.js'
import type { StoreWorker } from './store-worker.js'
import { systemClock as clock } from './system-clock.js'

/** Of the coordinating incarnations of whatever process. */
const COORDINATOR_NAME = 'coordinator'
const LOOK_MS = 200

export interface CoordinatorRuntimeParts {
  readonly directory: string
  /** Of the crawl. */
  readonly name: string
  readonly config: CrawlConfig
  readonly ledger: Ledger
  readonly bus: LocalBus
  /** Agents that this process starts with the crawl; none where it joins one that is under way. */
  readonly expectedAgents: number
  readonly leaseMs: Millis
  readonly log: Log
  readonly disk: DiskGuard
  readonly worker: StoreWorker
  /** For what is counted at the end. */
  readonly scratch: string
  /** Where the account of a run begins; null for a process that joins one, whose time is counted already. */
  readonly usageStart: UsageStart | null
  /** Where agents that do not see the store can reach this process. */
  readonly listen: ListenPlace
  /** The crawl is to stop. */
  readonly onStop: () => void
}

export class CoordinatorRuntime {
  readonly #parts: CoordinatorRuntimeParts
  readonly #coordinatorSeat: CoordinatorSeat
  readonly #keeper: TableMerger
  readonly #elsewhere: RemoteAgents
  readonly #packEndpoint: PackEndpoint
  readonly #files: FileRecovery
  readonly #abilities: AgentAbilities
  readonly heartbeatTasks: HeartbeatTasks
  #agentPool: AgentPool | null = null
  #usage: UsageMeter | null = null
  /**
   * The seat under which the files of dead incarnations were settled: nothing else may be done under it
   * before.
   */
  #readyFor: Epoch | null = null
  /** A seat that was taken over, before that. */
  #unsettled: Epoch | null = null
  #settling: Promise<void> | null = null
  #isClosed = false

  static async begin(parts: CoordinatorRuntimeParts): Promise<CoordinatorRuntime> {
    return new CoordinatorRuntime(
      parts,
      await RemoteAgents.connect(parts),
      await countLedger(parts.ledger, null),
    )
  }

  private constructor(parts: CoordinatorRuntimeParts, elsewhere: RemoteAgents, start: LedgerCount) {
    const { config, ledger, bus, leaseMs, log, directory, disk, worker } = parts
    this.#parts = parts
    this.#elsewhere = elsewhere
    const abilities = new AgentAbilities(ledger, () => clock.monotonic())
    this.#abilities = abilities
    this.#files = new FileRecovery({ ...parts, isAlive: incarnation => this.#isAlive(incarnation) })
    this.#packEndpoint = new PackEndpoint({ ...parts, isSeated: seat => this.#coordinatorSeat.seat === seat })
    this.#coordinatorSeat = new CoordinatorSeat({
      config,
      ledger,
      bus: bus.join(),
      expectedAgents: parts.expectedAgents,
      name: COORDINATOR_NAME,
      leaseMs,
      log,
      place: () => this.#packEndpoint.place,
      routing: () => tableOf(directory, ledger, config),
      propose: (assignment, agents, delayMs, renewed) =>
        proposeRepartition({ ...parts, abilities }, assignment, agents, delayMs, renewed),
      onHeartbeat: beat => this.#onHeartbeat(beat),
      onSeat: seat => this.#onSeat(seat),
      onClosed: incarnations => this.#onClosed(incarnations),
    })
    this.#keeper = new TableMerger({
      isAlive: incarnation => this.#isAlive(incarnation),
      seat: () => this.seat,
      directory,
      ledger,
      worker,
      now: clock.now,
      writeManifest: manifest => writeManifest(directory, manifest),
      onDamage: line => log.warn('a damaged file is left out', { file: line }),
    })
    this.heartbeatTasks = new HeartbeatTasks(
      {
        config,
        ledger,
        agentPool: () => this.#agentPool,
        keeper: this.#keeper,
        disk,
        usage: () => (this.seat === null ? null : this.#usage),
        isCoordinating: () => this.seat !== null,
        abilities,
        log,
        stop: parts.onStop,
      },
      start,
    )
  }

  /** The seat, once all is ready for what is done under it. */
  get seat(): Epoch | null {
    return this.#coordinatorSeat.seat === this.#readyFor ? this.#readyFor : null
  }

  /** False while another process coordinates. */
  claim(): Promise<boolean> {
    return this.#coordinatorSeat.claim()
  }

  /** The agents of this process. */
  setAgentPool(agentPool: AgentPool): void {
    this.#agentPool = agentPool
  }

  run(ready: Promise<unknown>): Promise<void> {
    return this.#coordinatorSeat.run(ready)
  }

  /**
   * Files are cut to what the ledger has committed, and from here on everything may be done under this seat.
   */
  async recover(): Promise<RecoverySummary> {
    const { directory, ledger, config } = this.#parts
    const { seat } = this.#coordinatorSeat
    await checkPairNow(directory, ledger, config)
    const from = this.#usage === null ? this.#parts.usageStart : null
    this.#usage = await UsageMeter.since(from ?? usageStartNow(clock), ledger, clock)
    const recovered = await this.#files.recover()
    await removeStrayTables(directory, ledger)
    if (seat !== null) await this.#packEndpoint.open(seat)
    this.#readyFor = seat
    return recovered
  }

  /**
   * After the end of the own agents, when the crawl is over or is to stop: tables, report, manifest. Null
   * when another process has the seat and has done it.
   */
  async conclude(startedAtMs: Millis): Promise<Report | null> {
    const { ledger } = this.#parts
    for (; ; await sleep(clock, LOOK_MS)) {
      // Whoever has done it frees the seat: it may be ours before we know.
      const { seat } = this
      if ((await ledger.settings())[CONCLUDED] === 'true') return null
      const report = seat === null ? null : await this.#finish(startedAtMs, seat)
      if (report) return report
    }
  }

  /** No more beats, and the seat is free for others. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#coordinatorSeat.release()
    this.heartbeatTasks.end()
    // What is being taken over would be open for ever.
    await this.#settling
    await this.#packEndpoint.close()
    await this.#coordinatorSeat.leave().catch(() => {})
    await this.#elsewhere.close()
  }

  async #finish(startedAtMs: Millis, seat: Epoch): Promise<Report | null> {
    const { config, directory, ledger, disk, scratch, log } = this.#parts
    await this.#elsewhere.awaitEnd()
    await this.#packEndpoint.drain()
    if (config.ledger !== undefined) await this.#settleAlone(seat)
    if (config.tables !== 'none') {
      await this.#keeper.finish()
      await writeSitesTable(directory, ledger, seat)
      await this.#keeper.finish()
    }
    await keepLearned({ ...this.#parts, abilities: this.#abilities })
    if (disk.troubleMs > config.maxWait * 1000) throw new DiskFullError(disk.stopMessage)
    if (this.seat !== seat) return null
    const { seconds, cpuSeconds } = await this.#usage!.save()
    const damaged = [...new Set([...this.#files.damaged, ...this.#keeper.damaged])]
    const facts = { config, startedAtMs, seconds, cpuSeconds, damaged, scratch }
    return writeReport(directory, ledger, log, facts)
  }

  /** While the tables are left alone: what is merged meanwhile would look lost. */
  async #settleAlone(seat: Epoch): Promise<void> {
    this.#readyFor = null
    await this.#keeper.idle()
    await this.#files.recoverLast()
    this.#readyFor = seat
  }

  #onHeartbeat(beat: Heartbeat): void {
    if (this.#isClosed) return
    this.heartbeatTasks.onHeartbeat(beat)
    if (this.#unsettled !== null) this.#takeOver(this.#unsettled)
  }

  #onSeat(seat: Epoch | null): void {
    this.#unsettled = seat
    if (seat === null) void this.#packEndpoint.close()
    else this.#takeOver(seat)
  }

  /** What cannot be settled now is tried again with the next heartbeat. */
  #takeOver(seat: Epoch): void {
    if (this.#isClosed) return
    this.#settling ??= this.#settle(seat).finally(() => {
      this.#settling = null
    })
  }

  async #settle(seat: Epoch): Promise<void> {
    const { log } = this.#parts
    try {
      const recovered = await this.recover()
      log.info('this process coordinates now', { pid: process.pid, seat, ...recovered })
      if (this.#unsettled === seat) this.#unsettled = null
    } catch (error) {
      log.warn('the files of agents that have ended cannot be recovered yet', {
        error: (error as Error).message,
      })
    }
  }

  async #onClosed(incarnations: readonly Incarnation[]): Promise<void> {
    await this.#packEndpoint.abandon(incarnations)
    await this.#elsewhere.recover(incarnations.filter(incarnation => !this.#isAlive(incarnation)))
  }

  /** Somebody here may still write to its files. */
  #isAlive(incarnation: Incarnation): boolean {
    return (this.#agentPool?.isAlive(incarnation) ?? false) || this.#packEndpoint.isOpen(incarnation)
  }
}
