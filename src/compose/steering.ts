/**
 * What a process with the store at hand does for the crawl as a whole: it stands by for the coordinator's
 * seat, and under it settles the files of lives that are over, merges tables, answers the user, and brings
 * the crawl to its end. All of that moves with the seat: whoever has it next finds in the ledger where the
 * last one was.
 */

import type { LocalBus } from '../bus/index.js'
import type { CrawlConfig } from '../config/index.js'
import { TableKeeper } from '../data/store/index.js'
import { writeManifest } from '../data/store/tables/index.js'
import type { Heartbeat, Incarnation, Ledger } from '../ledger/index.js'
import { type Epoch, type Millis, sleep } from '../model/index.js'
import type { LedgerCount, Report } from '../report/index.js'
import {
  DiskFullError,
  type DiskGuard,
  Spent,
  type SpentFrom,
  spentFromNow,
  writeSitesTable,
} from '../runtime/index.js'
import { AbilityBook } from './ability-book.js'
import { AgentsElsewhere } from './agents-elsewhere.js'
import type { Crew } from './crew.js'
import { FileSettler } from './file-settler.js'
import { provePair } from './generation.js'
import { countLedger, HeartbeatDuties } from './heartbeat-duties.js'
import { Helm } from './helm.js'
import { keepLearned } from './keep-learned.js'
import { proposeRepartition } from './live-placing.js'
import type { Log } from './log.js'
import { type ListenPlace, PackDesk } from './pack-desk.js'
import { type RecoverySummary, removeStrayTables } from './recovery.js'
import { tableOf } from './routing-note.js'
import { CONCLUDED, writeReport } from './run-report.js'
import type { StoreWorker } from './store-worker.js'
import { systemClock as clock } from './system-clock.js'

/** Of the coordinating lives of whatever process. */
const COORDINATOR_NAME = 'coordinator'
const LOOK_MS = 200

export interface SteeringParts {
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
  readonly spentFrom: SpentFrom | null
  /** Where agents that do not see the store can reach this process. */
  readonly listen: ListenPlace
  /** The crawl is to stop. */
  readonly onStop: () => void
}

export class Steering {
  readonly #parts: SteeringParts
  readonly #helm: Helm
  readonly #keeper: TableKeeper
  readonly #elsewhere: AgentsElsewhere
  readonly #desk: PackDesk
  readonly #files: FileSettler
  readonly #abilities: AbilityBook
  readonly duties: HeartbeatDuties
  #crew: Crew | null = null
  #spent: Spent | null = null
  /** The seat under which the files of dead lives were settled: nothing else may be done under it before. */
  #readyFor: Epoch | null = null
  /** A seat that was taken over, before that. */
  #unsettled: Epoch | null = null
  #settling: Promise<void> | null = null
  #isClosed = false

  static async begin(parts: SteeringParts): Promise<Steering> {
    return new Steering(parts, await AgentsElsewhere.meet(parts), await countLedger(parts.ledger, null))
  }

  private constructor(parts: SteeringParts, elsewhere: AgentsElsewhere, start: LedgerCount) {
    const { config, ledger, bus, leaseMs, log, directory, disk, worker } = parts
    this.#parts = parts
    this.#elsewhere = elsewhere
    const abilities = new AbilityBook(ledger, () => clock.monotonic())
    this.#abilities = abilities
    this.#files = new FileSettler({ ...parts, isAlive: life => this.#isAlive(life) })
    this.#desk = new PackDesk({ ...parts, isSeated: seat => this.#helm.seat === seat })
    this.#helm = new Helm({
      config,
      ledger,
      bus: bus.join(),
      expectedAgents: parts.expectedAgents,
      name: COORDINATOR_NAME,
      leaseMs,
      log,
      place: () => this.#desk.place,
      routing: () => tableOf(directory, ledger, config),
      propose: (assignment, agents, delayMs, renewed) =>
        proposeRepartition({ ...parts, abilities }, assignment, agents, delayMs, renewed),
      onHeartbeat: beat => this.#onHeartbeat(beat),
      onSeat: seat => this.#onSeat(seat),
      onClosed: lives => this.#onClosed(lives),
    })
    this.#keeper = new TableKeeper({
      isAlive: life => this.#isAlive(life),
      seat: () => this.seat,
      directory,
      ledger,
      worker,
      now: clock.now,
      writeManifest: manifest => writeManifest(directory, manifest),
      onDamage: line => log.warn('a damaged file is left out', { file: line }),
    })
    this.duties = new HeartbeatDuties(
      {
        config,
        ledger,
        crew: () => this.#crew,
        keeper: this.#keeper,
        disk,
        spent: () => (this.seat === null ? null : this.#spent),
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
    return this.#helm.seat === this.#readyFor ? this.#readyFor : null
  }

  /** False while another process coordinates. */
  claim(): Promise<boolean> {
    return this.#helm.claim()
  }

  /** The agents of this process. */
  man(crew: Crew): void {
    this.#crew = crew
  }

  run(ready: Promise<unknown>): Promise<void> {
    return this.#helm.run(ready)
  }

  /**
   * Files are cut to what the ledger has committed, and from here on everything may be done under this seat.
   */
  async recover(): Promise<RecoverySummary> {
    const { directory, ledger, config } = this.#parts
    const { seat } = this.#helm
    await provePair(directory, ledger, config)
    const from = this.#spent === null ? this.#parts.spentFrom : null
    this.#spent = await Spent.since(from ?? spentFromNow(clock), ledger, clock)
    const recovered = await this.#files.settle()
    await removeStrayTables(directory, ledger)
    if (seat !== null) await this.#desk.open(seat)
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
    this.#helm.release()
    this.duties.end()
    // What is being taken over would be open for ever.
    await this.#settling
    await this.#desk.close()
    await this.#helm.leave().catch(() => {})
    await this.#elsewhere.close()
  }

  async #finish(startedAtMs: Millis, seat: Epoch): Promise<Report | null> {
    const { config, directory, ledger, disk, scratch, log } = this.#parts
    await this.#elsewhere.farewell()
    await this.#desk.farewell()
    if (config.ledger !== undefined) await this.#settleAlone(seat)
    if (config.tables !== 'none') {
      await this.#keeper.finish()
      await writeSitesTable(directory, ledger, seat)
      await this.#keeper.finish()
    }
    await keepLearned({ ...this.#parts, abilities: this.#abilities })
    if (disk.troubleMs > config.maxWait * 1000) throw new DiskFullError(disk.farewell)
    if (this.seat !== seat) return null
    const { seconds, cpuSeconds } = await this.#spent!.save()
    const damaged = [...new Set([...this.#files.damaged, ...this.#keeper.damaged])]
    const facts = { config, startedAtMs, seconds, cpuSeconds, damaged, scratch }
    return writeReport(directory, ledger, log, facts)
  }

  /** While the tables are left alone: what is merged meanwhile would look lost. */
  async #settleAlone(seat: Epoch): Promise<void> {
    this.#readyFor = null
    await this.#keeper.idle()
    await this.#files.settleLast()
    this.#readyFor = seat
  }

  #onHeartbeat(beat: Heartbeat): void {
    if (this.#isClosed) return
    this.duties.onHeartbeat(beat)
    if (this.#unsettled !== null) this.#takeOver(this.#unsettled)
  }

  #onSeat(seat: Epoch | null): void {
    this.#unsettled = seat
    if (seat === null) void this.#desk.close()
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
      log.warn('cannot settle the files of those that are gone yet', { error: (error as Error).message })
    }
  }

  async #onClosed(lives: readonly Incarnation[]): Promise<void> {
    await this.#desk.abandon(lives)
    await this.#elsewhere.recover(lives.filter(life => !this.#isAlive(life)))
  }

  /** Somebody here may still write to its files. */
  #isAlive(life: Incarnation): boolean {
    return (this.#crew?.isAlive(life) ?? false) || this.#desk.isOpen(life)
  }
}
