/** A crawl in this process, from the first look at its directory to the report. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildReport,
  type Hooks,
  LEASE_MS,
  type Progress,
  progressOf,
  type Report,
  TableKeeper,
  type UrlCounts,
} from '../agent/index.js'
import { type Heartbeat, type Incarnation, type Ledger, LocalBus } from '../cluster/index.js'
import type { CrawlConfig } from '../config/index.js'
import type { Millis } from '../model/clock.js'
import { VERSION } from '../model/version.js'
import { writeFileAtomically, writeManifest } from '../store/index.js'
import { AgentsElsewhere } from './agents-elsewhere.js'
import { checkPaths, checkSeeds } from './check-seeds.js'
import { countCrawl } from './count-crawl.js'
import { absolute, crawlName, createDirectory, readCrawlFile } from './crawl-directory.js'
import type { Crew } from './crew.js'
import { DirectoryLock } from './directory-lock.js'
import { DiskGuard } from './disk-guard.js'
import { DirectoryBusyError, DiskFullError } from './errors.js'
import { readFaults } from './faults.js'
import { gatherCrew } from './gather-crew.js'
import { type Guests, hooksOf } from './guests.js'
import { HeartbeatDuties } from './heartbeat-duties.js'
import { COORDINATOR_NAME, Helm } from './helm.js'
import type { LedgerHost } from './ledger-host.js'
import { Log } from './log.js'
import { openFetcher } from './open-fetcher.js'
import { hostLedger } from './open-ledger.js'
import { recoverDirectory } from './recovery.js'
import { seedCrawl } from './seed-crawl.js'
import { writeSitesTable } from './sites-table.js'
import { Spent } from './spent.js'
import { StoreWorker } from './store-worker.js'
import { systemClock as clock } from './system.js'

/** Makes a new crawl directory and the session that works on it. */
export function createSession(config: CrawlConfig, directory: string, guests: Guests = {}): CrawlSession {
  checkSeeds(config)
  checkPaths(config)
  openFetcher(config)
  createDirectory(directory, config, VERSION, clock.now())
  return new CrawlSession(directory, guests, true)
}

/** Goes on with the crawl in `directory`. */
export function resumeSession(directory: string, guests: Guests = {}): CrawlSession {
  return new CrawlSession(directory, guests, false)
}

interface Running {
  readonly crew: Crew
  readonly helm: Helm
  readonly ledger: Ledger
  readonly keeper: TableKeeper
  readonly disk: DiskGuard
  readonly log: Log
  readonly duties: HeartbeatDuties
  readonly elsewhere: AgentsElsewhere
}

/** What lives as long as a run does. */
interface Tools {
  readonly host: LedgerHost
  readonly worker: StoreWorker
  readonly log: Log
  readonly hooks: Hooks
  readonly spent: Spent
}

interface Ended {
  readonly end: Report['finishReason']
  readonly urls: UrlCounts
}

export class CrawlSession {
  readonly directory: string
  readonly #config: CrawlConfig
  readonly #lock: DirectoryLock
  readonly #guests: Guests
  readonly #isNew: boolean
  readonly #faults = readFaults(process.env.ORBWEAVER_FAULTS)
  #running: Running | null = null
  #stopRequested = false
  #damaged: readonly string[] = []
  #warnings: readonly string[] = []
  #warn: (line: string) => void = () => {}

  constructor(directory: string, guests: Guests, isNew: boolean) {
    this.#isNew = isNew
    this.directory = absolute(directory)
    this.#config = {
      ...readCrawlFile(this.directory).config,
      ...(guests.robots && { robots: guests.robots }),
    }
    this.#guests = guests
    const lock = DirectoryLock.take(this.directory)
    if (!lock) throw new DirectoryBusyError(`${directory} is in use by another orbweaver process`)
    this.#lock = lock
  }

  get config(): CrawlConfig {
    return this.#config
  }

  get name(): string {
    return crawlName(this.config)
  }

  /** Crawls to the end, the limit, or `stop`; writes and returns the report. `warn` is told at the start what is not as safe as it could be. */
  async run(warn: (line: string) => void = () => {}): Promise<Report> {
    this.#warn = warn
    const startedAtMs = clock.now()
    const started = clock.monotonic()
    try {
      // Before there is a ledger: a mistake in the hooks leaves nothing that would be in the way of another try.
      const hooks = await hooksOf(this.#guests, this.config)
      return await this.#runWith(hooks, startedAtMs, started)
    } finally {
      this.#lock.release()
    }
  }

  /** Seals what there is and ends; `run` then resolves. */
  stop(): void {
    this.#stopRequested = true
    this.#running?.crew.stop()
  }

  progress(): Progress {
    if (!this.#running)
      return { pages: 0, bytes: 0, errors: 0, queued: 0, sites: 0, activeSites: 0, waiting: 'starting' }
    const { crew, duties, disk } = this.#running
    return progressOf(crew.progress(), duties.baseline, disk.trouble)
  }

  async #runWith(hooks: Hooks, startedAtMs: Millis, started: Millis): Promise<Report> {
    let note = (_line: string) => {}
    const host = await hostLedger(this.directory, this.config, this.#isNew, line => {
      note(line)
      this.#warn(line)
    })
    const { ledger } = host
    const log = new Log(this.directory)
    note = line => log.warn(line)
    const worker = new StoreWorker()
    try {
      const spent = await Spent.since(started, ledger, clock)
      const { end, urls } = await this.#crawl({ host, worker, log, hooks, spent })
      const report = await buildReport(ledger, {
        version: VERSION,
        seeds: this.config.seeds,
        finishReason: end,
        startedAtMs,
        endedAtMs: clock.now(),
        ...(await spent.save()),
        urls,
        robots: { mode: this.config.robots, maxFailures: this.config.robotsFailures },
        damaged: this.#damaged,
        warnings: this.#warnings,
      })
      writeFileAtomically(join(this.directory, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
      log.info('end', { finishReason: end, pages: report.pages })
      return report
    } finally {
      this.#running?.duties.end()
      await this.#running?.elsewhere.close()
      await worker.close()
      await ledger.close()
      log.close()
    }
  }

  async #crawl(tools: Tools): Promise<Ended> {
    const { config, directory, name } = this
    const { host, worker, log, hooks, spent } = tools
    const { ledger } = host
    const incarnation = await this.#prepare(ledger, log)
    const disk = new DiskGuard(directory, config.minFreeDisk, clock)
    await disk.look()
    const bus = new LocalBus()
    const leaseMs = this.#faults.leaseMs ?? LEASE_MS
    const faults = this.#faults
    const onDisk = (detail: string | null) => {
      disk.refused(detail)
      this.#running?.duties.onPack()
    }
    const seats = { directory, name, config, leaseMs, faults, host, bus, hooks, worker, log, disk, onDisk }
    const crew = await gatherCrew(seats)
    const onHeartbeat = (beat: Heartbeat) => this.#running?.duties.onHeartbeat(beat)
    const elsewhere = await AgentsElsewhere.meet({
      directory,
      crawl: name,
      config,
      ledger,
      bus,
      log,
      leaseMs,
    })
    const onClosed = (lives: readonly Incarnation[]) =>
      elsewhere.recover(lives.filter(life => !crew.isAlive(life)))
    const ears = { onHeartbeat, onClosed }
    const helm = new Helm({ config, ledger, bus: bus.join(), incarnation, leaseMs, log, ...ears })
    const keeper = new TableKeeper({
      isAlive: life => crew.isAlive(life),
      seat: () => helm.coordinator.seat,
      directory,
      ledger,
      worker,
      now: clock.now,
      writeManifest: manifest => writeManifest(directory, manifest),
    })
    const stop = () => this.stop()
    const duties = await HeartbeatDuties.begin({ config, ledger, crew, keeper, disk, spent, log, stop })
    this.#running = { crew, helm, ledger, keeper, disk, log, duties, elsewhere }
    if (this.#stopRequested) crew.stop()
    return this.#work(this.#running)
  }

  /** The ledger is open and seeded, files are cut to what it has committed, and this life is the latest. */
  async #prepare(ledger: Ledger, log: Log): Promise<Incarnation> {
    const { config, directory, name } = this
    await ledger.endAllLeases()
    await ledger.reopen()
    await seedCrawl(config, ledger, log)
    const incarnation = await ledger.join(COORDINATOR_NAME, 0)
    // The lock of this directory says nothing of agents in other processes.
    const holder = config.ledger === undefined ? 'gone' : 'unknown'
    const recovered = await recoverDirectory(directory, name, ledger, incarnation - 1, holder)
    this.#damaged = recovered.damaged
    log.info('start', { version: VERSION, incarnation, robots: config.robots, ...recovered })
    this.#warnings = (await ledger.health(LEASE_MS)).weaknesses
    for (const line of this.#warnings) {
      log.warn(line)
      this.#warn(line)
    }
    if (config.robots === 'ignore') log.warn('robots.txt is ignored (--robots ignore)')
    rmSync(join(directory, 'frontier'), { recursive: true, force: true })
    return incarnation
  }

  async #work({ crew, helm, ledger, keeper, disk, log, elsewhere }: Running): Promise<Ended> {
    const helming = helm.run().catch((error: Error) => {
      crew.stop()
      throw error
    })
    helming.catch(() => {})
    try {
      await Promise.race([crew.run(), helming.then(() => new Promise<never>(() => {}))])
    } finally {
      helm.release()
    }
    await helming
    await elsewhere.farewell()
    if (this.config.tables !== 'none') {
      await keeper.finish()
      await writeSitesTable(this.directory, ledger)
      await keeper.finish()
    }
    await ledger.endAllLeases()
    if (disk.troubleMs > this.config.maxWait * 1000) throw new DiskFullError(disk.farewell)
    return {
      end: (await ledger.totals()).finishReason ?? 'stopped',
      urls: await countCrawl(this.directory, this.config, ledger, log),
    }
  }
}
