/** A crawl in this process, from the first look at its directory to the report. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Baseline,
  buildReport,
  type CrawledPage,
  countUrls,
  type Hooks,
  LEASE_MS,
  loadHooks,
  type Progress,
  progressOf,
  type Report,
  TableKeeper,
  type UrlCounts,
} from '../agent/index.js'
import { type Heartbeat, type Ledger, LocalBus, openSqliteLedger } from '../cluster/index.js'
import { ConfigError, type CrawlConfig } from '../config/index.js'
import { FrontierSpace } from '../frontier/index.js'
import type { Millis } from '../model/clock.js'
import { LIMITS } from '../model/limits.js'
import { isTrouble } from '../model/outcome.js'
import { siteOf } from '../model/url.js'
import { VERSION } from '../model/version.js'
import { writeFileAtomically, writeManifest } from '../store/index.js'
import { checkPaths, checkSeeds } from './check-seeds.js'
import { absolute, createDirectory, readCrawlFile } from './crawl-directory.js'
import { type Crew, LocalCrew } from './crew.js'
import { DirectoryLock } from './directory-lock.js'
import { DiskGuard } from './disk-guard.js'
import { DirectoryBusyError, DiskFullError } from './errors.js'
import { readFaults } from './faults.js'
import { COORDINATOR_NAME, Helm } from './helm.js'
import { readKnownWeb } from './known-web.js'
import { LedgerThread } from './ledger-host.js'
import { Log } from './log.js'
import { openFetcher } from './open-fetcher.js'
import { checkLedgerFile, recoverDirectory } from './recovery.js'
import { seedCrawl } from './seed-crawl.js'
import { writeSitesTable } from './sites-table.js'
import { StoreWorker } from './store-worker.js'
import { systemClock as clock, systemRandom as random } from './system.js'
import { ThreadCrew } from './thread-crew.js'

export const LEDGER_FILE = 'ledger.db'

/** Makes a new crawl directory and the session that works on it. */
export function createSession(config: CrawlConfig, directory: string, guests: Guests = {}): CrawlSession {
  checkSeeds(config)
  checkPaths(config)
  openFetcher(config)
  createDirectory(directory, config, VERSION, clock.now())
  return new CrawlSession(directory, guests)
}

/** Goes on with the crawl in `directory`. */
export function resumeSession(directory: string, guests: Guests = {}): CrawlSession {
  return new CrawlSession(directory, guests)
}

/** Functions of the caller that are called while the crawl runs. */
export interface Guests {
  /** Instead of the module that the configuration names. */
  readonly hooks?: Hooks | undefined
  /** Sees every page after the hooks did; the crawl waits for it. */
  readonly reader?: (page: CrawledPage) => Promise<void>
  /** What this run does otherwise than the crawl was asked for. */
  readonly robots?: CrawlConfig['robots'] | undefined
}

interface Running {
  readonly crew: Crew
  readonly helm: Helm
  readonly ledger: Ledger
  readonly keeper: TableKeeper
  readonly disk: DiskGuard
  readonly log: Log
  baseline: Baseline
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
  #running: Running | null = null
  #stopRequested = false
  #damaged: readonly string[] = []
  #checkpoint = ''
  readonly #faults = readFaults(process.env.ORBWEAVER_FAULTS)

  constructor(directory: string, guests: Guests) {
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
    return this.config.name ?? siteOf(this.config.seeds[0])
  }

  /** Crawls to the end, the limit, or `stop`; writes and returns the report. */
  async run(): Promise<Report> {
    const startedAtMs = clock.now()
    const started = clock.monotonic()
    // Before there is a ledger: a mistake in the hooks leaves nothing that would be in the way of another try.
    const hooks = await this.#loadHooks()
    const log = new Log(this.directory)
    const worker = new StoreWorker()
    const thread = this.#openLedger()
    const { ledger } = thread
    try {
      const { end, urls } = await this.#crawl(thread, worker, log, hooks)
      const spent = await addSpent(ledger, (clock.monotonic() - started) / 1000)
      const report = await buildReport(ledger, {
        version: VERSION,
        seeds: this.config.seeds,
        finishReason: end,
        startedAtMs,
        endedAtMs: clock.now(),
        ...spent,
        urls,
        robots: { mode: this.config.robots, maxFailures: this.config.robotsFailures },
        damaged: this.#damaged,
      })
      writeFileAtomically(join(this.directory, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
      log.info('end', { finishReason: end, pages: report.pages })
      return report
    } finally {
      await worker.close()
      await ledger.close()
      log.close()
      this.#lock.release()
    }
  }

  /** Seals what there is and ends; `run` then resolves. */
  stop(): void {
    this.#stopRequested = true
    this.#running?.crew.stop()
  }

  progress(): Progress {
    const running = this.#running
    if (!running)
      return { pages: 0, bytes: 0, errors: 0, queued: 0, sites: 0, activeSites: 0, waiting: 'starting' }
    const { crew, baseline, disk } = running
    return progressOf(crew.progress(), baseline, disk.trouble)
  }

  /** A first look in this thread: what is wrong with the file is said before anything starts. */
  #openLedger(): LedgerThread {
    const path = join(this.directory, LEDGER_FILE)
    try {
      checkLedgerFile(this.directory, path)
      const fresh = openSqliteLedger(path, { create: !existsSync(path), now: clock.now })
      void fresh.close()
      return new LedgerThread(path)
    } catch (error) {
      this.#lock.release()
      throw error
    }
  }

  async #loadHooks(): Promise<Hooks> {
    if (this.config.agents > 1 && this.#guests.hooks !== undefined) {
      this.#lock.release()
      throw new ConfigError('hooks that are functions cannot go to several agents; put them into a module')
    }
    const hooks = this.#guests.hooks ?? (await this.#loadModule())
    const { reader } = this.#guests
    if (reader === undefined) return hooks
    return {
      ...hooks,
      onPage: async page => {
        await hooks.onPage?.(page)
        await reader(page)
      },
    }
  }

  async #loadModule(): Promise<Hooks> {
    const { hooks } = this.config
    if (hooks === undefined) return {}
    try {
      return await loadHooks(hooks, absolute)
    } catch (error) {
      this.#lock.release()
      throw new ConfigError(`--hooks ${hooks}: ${(error as Error).message}`)
    }
  }

  async #crawl(thread: LedgerThread, worker: StoreWorker, log: Log, hooks: Hooks): Promise<Ended> {
    const { config, directory, name } = this
    const { ledger } = thread
    await ledger.endAllLeases()
    await ledger.reopen()
    await seedCrawl(config, ledger, log)
    const incarnation = await ledger.join(COORDINATOR_NAME, 0)
    const recovered = await recoverDirectory(directory, name, ledger, incarnation - 1)
    this.#damaged = recovered.damaged
    log.info('start', { version: VERSION, incarnation, robots: config.robots, ...recovered })
    if (config.robots === 'ignore') log.warn('robots.txt is ignored (--robots ignore)')
    rmSync(join(directory, 'frontier'), { recursive: true, force: true })
    const disk = new DiskGuard(directory, config.minFreeDisk, clock)
    await disk.look()
    const bus = new LocalBus()
    const crew = await this.#gather(thread, bus, { hooks, worker, log, disk })
    const leaseMs = this.#leaseMs
    const helm = new Helm({
      config,
      ledger,
      bus: bus.join(),
      incarnation,
      leaseMs,
      log,
      onHeartbeat: beat => this.#onHeartbeat(beat),
    })
    const keeper = new TableKeeper({
      isAlive: life => crew.isAlive(life),
      seat: () => helm.coordinator.seat,
      directory,
      ledger,
      worker,
      now: clock.now,
      writeManifest: manifest => writeManifest(directory, manifest),
    })
    this.#running = { crew, helm, ledger, keeper, disk, log, baseline: await baselineOf(ledger) }
    if (this.#stopRequested) crew.stop()
    return this.#work(this.#running)
  }

  get #leaseMs(): Millis {
    return this.#faults.leaseMs ?? LEASE_MS
  }

  /** One agent works here; several have a thread each. */
  async #gather(
    thread: LedgerThread,
    bus: LocalBus,
    parts: { hooks: Hooks; worker: StoreWorker; log: Log; disk: DiskGuard },
  ): Promise<Crew> {
    const { config, directory, name } = this
    const { ledger } = thread
    const { hooks, worker, log, disk } = parts
    const leaseMs = this.#leaseMs
    const onDiskTrouble = (detail: string | null) => disk.refused(detail)
    const shared = { directory, crawl: name, config, agents: config.agents, leaseMs }
    if (config.agents > 1) {
      const crew = new ThreadCrew({
        ...shared,
        isDeaf: this.#faults.isDeaf,
        ledger,
        ledgerThread: thread,
        bus,
        log,
        onDiskTrouble,
      })
      crew.setDiskTrouble(disk.trouble)
      process.on('SIGUSR2', () => {
        const harm = this.#faults.next()
        if (harm !== null) crew.harm(harm)
      })
      return crew
    }
    const agent = 'agent-1'
    const incarnation = await ledger.join(agent, config.lanes)
    const sourceAddress = config.sourceAddress[0]
    const order = { ...shared, agent, incarnation, sourceAddress, diskTrouble: disk.trouble }
    return LocalCrew.open(order, { ledger, bus: bus.join(), hooks, log, worker, onDiskTrouble })
  }

  async #work({ crew, helm, ledger, keeper, disk, log }: Running): Promise<Ended> {
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
    if (this.config.tables !== 'none') {
      await keeper.finish()
      await writeSitesTable(this.directory, ledger)
      await keeper.finish()
    }
    await ledger.endAllLeases()
    if (disk.troubleMs > this.config.maxWait * 1000) throw new DiskFullError(disk.farewell)
    return {
      end: (await ledger.totals()).finishReason ?? 'stopped',
      urls: await this.#countUrls(ledger, log),
    }
  }

  async #countUrls(ledger: Ledger, log: Log): Promise<UrlCounts> {
    const space = new FrontierSpace({
      folder: join(this.directory, 'frontier'),
      seenBytes: LIMITS.countBytes,
      queueBytes: LIMITS.queueBytes,
      salt: Math.floor(random.next() * 2 ** 32),
    })
    try {
      return await countUrls(ledger, space, readKnownWeb(this.config, log))
    } finally {
      space.close()
    }
  }

  #onHeartbeat(beat: Heartbeat): void {
    const running = this.#running
    if (!running) return
    const { disk, crew, keeper } = running
    crew.setDiskTrouble(disk.trouble)
    if (this.config.tables !== 'none') keeper.tend()
    if (beat.settings.stop) this.stop()
    this.#answerCheckpoint(running, beat.settings)
    void disk.look().then(() => {
      if (disk.troubleMs > this.config.maxWait * 1000) this.stop()
    })
    void running.ledger.totals().then(totals => {
      const sites = Object.values(totals.cells).reduce((sum, count) => sum + count, 0)
      running.baseline = { ...running.baseline, sites, backlog: totals.backlog }
    })
  }

  /** `orbweaver checkpoint` asks by a number; the answer is the same number, once everything before is durable. */
  #answerCheckpoint(running: Running, settings: Readonly<Record<string, string>>): void {
    const asked = settings['checkpoint.asked'] ?? ''
    if (asked === '' || asked === settings['checkpoint.done'] || asked === this.#checkpoint) return
    this.#checkpoint = asked
    void running.crew.seal().then(() => running.ledger.set({ 'checkpoint.done': asked }))
  }
}

async function baselineOf(ledger: Ledger): Promise<Baseline> {
  const totals = await ledger.totals()
  const sites = Object.values(totals.cells).reduce((sum, count) => sum + count, 0)
  const errors = totals.outcomes.reduce((sum, { code, count }) => sum + (isTrouble(code) ? count : 0), 0)
  return { pages: totals.pages, bytes: totals.bytes, errors, sites, backlog: totals.backlog }
}

/** Time and CPU over all runs of a crawl are kept in the ledger. */
async function addSpent(ledger: Ledger, seconds: number): Promise<{ seconds: number; cpuSeconds: number }> {
  const settings = await ledger.settings()
  const { user, system } = process.cpuUsage()
  const total = {
    seconds: Number(settings['spent.seconds'] ?? 0) + seconds,
    cpuSeconds: Number(settings['spent.cpuSeconds'] ?? 0) + (user + system) / 1e6,
  }
  await ledger.set({ 'spent.seconds': String(total.seconds), 'spent.cpuSeconds': String(total.cpuSeconds) })
  return total
}
