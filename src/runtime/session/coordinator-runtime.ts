/**
 * What a process that sees the store does for the crawl as a whole: it stands by for the coordinator's seat;
 * with the seat it recovers the files of ended incarnations, merges tables, answers the user, and concludes
 * the crawl. All of that moves with the seat: the next holder finds in the ledger where the last one was.
 */

import type { LocalBus } from '../../bus/index.js'
import { CoordinatorSeat } from '../../cluster/coordinator/index.js'
import { type CrawlConfig, isLearned } from '../../config/index.js'
import { TableMerger } from '../../data/store/index.js'
import { writeManifest } from '../../data/store/tables/index.js'
import type { Heartbeat, Incarnation, Ledger } from '../../ledger/index.js'
import { type Epoch, type Millis, SeededRandom, sleep } from '../../model/index.js'
import type { Assignment } from '../../plan/assign/index.js'
import { stageIn } from '../../plan/assign/learned/index.js'
import type { LedgerCount, Report } from '../../report/index.js'
import type { AgentPool } from '../agents/index.js'
import { checkPairNow, DiskFullError, type Log } from '../directory/index.js'
import { COORDINATOR_RUNTIME_LOOK_MS } from '../limits.js'
import {
  AgentAbilities,
  type DiskGuard,
  UsageMeter,
  type UsageStart,
  usageStartNow,
} from '../machine/index.js'
import type { Platform } from '../platform/index.js'
import { FileRecovery, type RecoverySummary, removeStrayTables } from '../recovery/index.js'
import { keepLearned, type LearnedPlaces, proposeRepartition, tableOf } from '../routing/index.js'
import type { StoreWorker } from '../threads/index.js'
import { countLedger, HeartbeatTasks } from './heartbeat-tasks.js'
import { type ListenPlace, PackEndpoint } from './pack-endpoint.js'
import { RemoteAgents } from './remote-agents.js'
import { CONCLUDED, writeReport } from './run-report.js'
import { writeSitesTable } from './sites-table.js'

export interface CoordinatorRuntimeParts {
  readonly platform: Platform
  readonly directory: string
  /** The name of the crawl. */
  readonly name: string
  readonly config: CrawlConfig
  readonly ledger: Ledger
  readonly bus: LocalBus
  /** Agents that this process starts with the crawl; none where it joins one that is under way. */
  readonly expectedAgents: number
  readonly log: Log
  readonly disk: DiskGuard
  readonly worker: StoreWorker
  /** For the count of all URLs at the end. */
  readonly scratch: string
  /** Null for a process that joins a run: the time of the run is counted already. */
  readonly usageStart: UsageStart | null
  /** Where agents that do not see the store can reach this process. */
  readonly listen: ListenPlace
  /** Called when the crawl must stop. */
  readonly onStop: () => void
}

export class CoordinatorRuntime {
  readonly #parts: CoordinatorRuntimeParts
  readonly #coordinatorSeat: CoordinatorSeat
  readonly #tableMerger: TableMerger
  readonly #remoteAgents: RemoteAgents
  readonly #packEndpoint: PackEndpoint
  readonly #files: FileRecovery
  readonly #learned: LearnedPlaces
  readonly heartbeatTasks: HeartbeatTasks
  #agentPool: AgentPool | null = null
  #usage: UsageMeter | null = null
  /**
   * The seat under which files were recovered. Recovery comes before everything else that is done under a
   * seat.
   */
  #readyFor: Epoch | null = null
  /** A seat that was taken over and for which files are not recovered yet. */
  #unrecovered: Epoch | null = null
  #recovering: Promise<void> | null = null
  #isClosed = false

  static async begin(parts: CoordinatorRuntimeParts): Promise<CoordinatorRuntime> {
    const remoteAgents = await RemoteAgents.connect(parts)
    return new CoordinatorRuntime(parts, remoteAgents, await countLedger(parts.ledger, null))
  }

  private constructor(parts: CoordinatorRuntimeParts, remoteAgents: RemoteAgents, start: LedgerCount) {
    const { clock } = parts.platform
    this.#parts = parts
    this.#remoteAgents = remoteAgents
    const abilities = new AgentAbilities(parts.ledger, () => clock.monotonic())
    this.#learned = { ...parts, clock, abilities }
    const isAlive = (incarnation: Incarnation) => this.#isAlive(incarnation)
    this.#files = new FileRecovery({ ...parts, clock, isAlive })
    this.#packEndpoint = new PackEndpoint({ ...parts, isSeated: seat => this.#coordinatorSeat.seat === seat })
    this.#coordinatorSeat = this.#newSeat()
    this.#tableMerger = this.#newTableMerger(isAlive)
    this.heartbeatTasks = this.#newHeartbeatTasks(abilities, start)
  }

  /** The seat; null until the files were recovered under it. */
  get seat(): Epoch | null {
    return this.#coordinatorSeat.seat === this.#readyFor ? this.#readyFor : null
  }

  /** Takes the seat; false while another process coordinates. */
  claim(): Promise<boolean> {
    return this.#coordinatorSeat.claim()
  }

  /** Stands by for the seat, and coordinates under it when all is `ready`. */
  run(ready: Promise<unknown>): Promise<void> {
    return this.#coordinatorSeat.run(ready)
  }

  /** Cuts files to what the ledger has committed; from then on everything may be done under this seat. */
  async recover(): Promise<RecoverySummary> {
    const { platform, directory, ledger, config, usageStart } = this.#parts
    const { seat } = this.#coordinatorSeat
    await checkPairNow(directory, ledger, config)
    const from = this.#usage === null ? usageStart : null
    this.#usage = await UsageMeter.since(from ?? usageStartNow(platform.clock), ledger, platform.clock)
    const recovered = await this.#files.recover()
    await removeStrayTables(directory, ledger)
    if (seat !== null) await this.#packEndpoint.open(seat)
    this.#readyFor = seat
    return recovered
  }

  /** The agents of this process. */
  setAgentPool(agentPool: AgentPool): void {
    this.#agentPool = agentPool
  }

  /**
   * After the end of this process's agents, when the crawl is over or is to stop: tables, report, manifest.
   * Null when another process has the seat and has done it.
   */
  async conclude(startedAtMs: Millis): Promise<Report | null> {
    const { ledger, platform } = this.#parts
    for (; ; await sleep(platform.clock, COORDINATOR_RUNTIME_LOOK_MS)) {
      // Read the seat before the setting: another process that concludes the crawl frees the seat, and this
      // process may take it at once.
      const { seat } = this
      if ((await ledger.settings())[CONCLUDED] === 'true') return null
      const report = seat === null ? null : await this.#finish(startedAtMs, seat)
      if (report) return report
    }
  }

  /** Ends the heartbeats and frees the seat for others. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#coordinatorSeat.release()
    this.heartbeatTasks.end()
    // A pack endpoint that is being opened would stay open.
    await this.#recovering
    await this.#packEndpoint.close()
    await this.#coordinatorSeat.leave().catch(() => {})
    await this.#remoteAgents.close()
  }

  async #finish(startedAtMs: Millis, seat: Epoch): Promise<Report | null> {
    const { platform, config, directory, ledger, disk } = this.#parts
    await this.#remoteAgents.awaitEnd()
    await this.#packEndpoint.drain()
    if (config.ledger !== undefined) await this.#recoverLast(seat)
    if (config.tables !== 'none') {
      await this.#tableMerger.finish()
      await writeSitesTable(directory, ledger, seat)
      await this.#tableMerger.finish()
    }
    await keepLearned(this.#learned)
    if (disk.troubleMs > config.maxWait * 1000) throw new DiskFullError(disk.stopMessage)
    if (this.seat !== seat) return null
    const { seconds, cpuSeconds } = await this.#usage!.save()
    const damaged = [...new Set([...this.#files.damaged, ...this.#tableMerger.damaged])]
    const { clock, random } = platform
    return writeReport({ ...this.#parts, clock, random }, { startedAtMs, seconds, cpuSeconds, damaged })
  }

  /** Tables are not merged meanwhile: a merged file would look lost. */
  async #recoverLast(seat: Epoch): Promise<void> {
    this.#readyFor = null
    await this.#tableMerger.idle()
    await this.#files.recoverLast()
    this.#readyFor = seat
  }

  #onHeartbeat(beat: Heartbeat): void {
    if (this.#isClosed) return
    this.heartbeatTasks.onHeartbeat(beat)
    if (this.#unrecovered !== null) this.#takeOver(this.#unrecovered)
  }

  #onSeat(seat: Epoch | null): void {
    this.#unrecovered = seat
    if (seat === null) void this.#packEndpoint.close()
    else this.#takeOver(seat)
  }

  /** A recovery that fails is tried again with the next heartbeat. */
  #takeOver(seat: Epoch): void {
    if (this.#isClosed) return
    this.#recovering ??= this.#recoverUnder(seat).finally(() => {
      this.#recovering = null
    })
  }

  async #recoverUnder(seat: Epoch): Promise<void> {
    const { log } = this.#parts
    try {
      const recovered = await this.recover()
      log.info('this process coordinates now', { pid: process.pid, seat, ...recovered })
      if (this.#unrecovered === seat) this.#unrecovered = null
    } catch (error) {
      log.warn('the files of agents that have ended cannot be recovered yet', {
        error: (error as Error).message,
      })
    }
  }

  async #onClosed(incarnations: readonly Incarnation[]): Promise<void> {
    await this.#packEndpoint.abandon(incarnations)
    await this.#remoteAgents.recover(incarnations.filter(incarnation => !this.#isAlive(incarnation)))
  }

  /** True if this process may still write to the files of the incarnation. */
  #isAlive(incarnation: Incarnation): boolean {
    return (this.#agentPool?.isAlive(incarnation) ?? false) || this.#packEndpoint.isOpen(incarnation)
  }

  #newSeat(): CoordinatorSeat {
    const { platform, bus } = this.#parts
    return new CoordinatorSeat({
      ...this.#parts,
      clock: platform.clock,
      leaseMs: platform.leaseMs,
      newCoordinator: platform.newCoordinator,
      bus: bus.join(),
      place: () => this.#packEndpoint.place,
      assignment: () => this.#assignment(),
      propose: (...situation) => proposeRepartition(this.#learned, ...situation),
      onHeartbeat: beat => this.#onHeartbeat(beat),
      onSeat: seat => this.#onSeat(seat),
      onClosed: incarnations => this.#onClosed(incarnations),
    })
  }

  async #assignment(): Promise<Assignment> {
    const { platform, directory, config, ledger } = this.#parts
    const { clock, random } = platform
    const { assign, assignSeed } = config
    const table = isLearned(assign) ? await tableOf(directory, ledger, config) : null
    const stage = table === null ? 0 : stageIn(await ledger.settings())
    return platform.chooseAssignment(
      assign,
      // Two crawls with the same `assignSeed` make the same random choices.
      assignSeed === undefined ? random : new SeededRandom(assignSeed),
      table && { table, stage, now: () => clock.monotonic() },
    )
  }

  #newTableMerger(isAlive: (incarnation: Incarnation) => boolean): TableMerger {
    const { platform, directory, ledger, worker, log } = this.#parts
    return new TableMerger({
      isAlive,
      seat: () => this.seat,
      directory,
      ledger,
      worker,
      now: platform.clock.now,
      writeManifest: manifest => writeManifest(directory, manifest),
      onDamage: line => log.warn('a damaged file is left out', { file: line }),
    })
  }

  #newHeartbeatTasks(abilities: AgentAbilities, start: LedgerCount): HeartbeatTasks {
    const { platform, config, ledger, disk, log, onStop } = this.#parts
    return new HeartbeatTasks(
      {
        clock: platform.clock,
        config,
        ledger,
        agentPool: () => this.#agentPool,
        tableMerger: this.#tableMerger,
        disk,
        usage: () => (this.seat === null ? null : this.#usage),
        isCoordinating: () => this.seat !== null,
        abilities,
        log,
        stop: onStop,
      },
      start,
    )
  }
}
