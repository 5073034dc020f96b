/** A crawl in this process, from the first look at its directory to the report. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LocalBus } from '../bus/index.js'
import { LEASE_MS } from '../cluster/agent/heartbeat/index.js'
import type { Hooks } from '../cluster/agent/lane/index.js'
import { type CrawlConfig, stateFolder } from '../config/index.js'
import type { Ledger } from '../ledger/index.js'
import { type Millis, VERSION } from '../model/index.js'
import { type Progress, progressOf, type Report } from '../report/index.js'
import { type DirectoryLock, DiskGuard, takeLock, type UsageStart, usageStartNow } from '../runtime/index.js'
import type { AgentPool } from './agent-pool.js'
import { checkCommitted, checkForResume, checkRelation } from './check-resume.js'
import { checkPaths, checkSeeds } from './check-seeds.js'
import { CoordinatorRuntime } from './coordinator-runtime.js'
import {
  absolute,
  type CrawlFile,
  checkVacant,
  crawlName,
  createDirectory,
  newCrawlFile,
  readCrawlFile,
  writeCrawlFile,
} from './crawl-directory.js'
import { saveRecord } from './crawl-record.js'
import { readFaults } from './faults.js'
import { beginGeneration } from './generation.js'
import type { LedgerHost } from './ledger-host.js'
import { Log } from './log.js'
import { openAgentPool } from './open-agent-pool.js'
import { openFetcher } from './open-fetcher.js'
import { checkNewInDatabase, hostLedger, inDatabase } from './open-ledger.js'
import { OWN_MACHINE } from './pack-endpoint.js'
import { planOf } from './phase-plan.js'
import { planRoutes } from './plan-routes.js'
import { quarantineUnlisted } from './quarantine.js'
import { needReadable } from './read-ledger.js'
import { refuseDamagedFiles } from './recovery.js'
import { checkHooks, hooksOfModule, type RunOptions } from './run-options.js'
import { CONCLUDED, STARTED_AT, WARNINGS } from './run-report.js'
import { alreadyRunningError, closeSilentIncarnations } from './running-agents.js'
import { seedCrawl } from './seed-crawl.js'
import { StoreWorker } from './store-worker.js'
import { systemClock as clock } from './system-clock.js'
import { distrustOf, hooksNamed, needTrust } from './trust.js'

/** A session that makes a new crawl directory when it runs: what is wrong with the options is said before. */
export function createSession(
  config: CrawlConfig,
  directory: string,
  options: RunOptions = {},
): CrawlSession {
  checkSeeds(config)
  checkPaths(config)
  planOf(config, clock.now())
  openFetcher(config)
  if (config.previous !== undefined) needReadable(config.previous, options.trust)
  checkHooks(options.hooks, config.agents)
  checkVacant(directory)
  return new CrawlSession(directory, options, newCrawlFile(config, VERSION, clock.now()))
}

/** Goes on with the crawl in `directory`. */
export function resumeSession(directory: string, options: RunOptions = {}): CrawlSession {
  return new CrawlSession(directory, options, null)
}

interface Running {
  readonly agentPool: AgentPool
  readonly coordinatorRuntime: CoordinatorRuntime
}

/** What lives as long as a run does. */
interface Tools {
  readonly host: LedgerHost
  readonly worker: StoreWorker
  readonly log: Log
  readonly hooks: Hooks
  readonly scratch: string
  readonly usageStart: UsageStart
}

export class CrawlSession {
  readonly directory: string
  readonly #file: CrawlFile
  readonly #config: CrawlConfig
  /** Null where the ledger is in a database: there the coordinator's seat says who may. */
  #lock: DirectoryLock | null = null
  readonly #options: RunOptions
  readonly #isNew: boolean
  #isMade = false
  readonly #faults = readFaults(process.env.ORBWEAVER_FAULTS)
  #running: Running | null = null
  #ledger: Ledger | null = null
  #stopRequested = false
  #warn: (line: string) => void = () => {}

  /** `fresh`: what crawl.json of a new crawl is to say; null goes on with the one that is there. */
  constructor(directory: string, options: RunOptions, fresh: CrawlFile | null) {
    this.#isNew = fresh !== null
    this.directory = absolute(directory)
    if (fresh === null) needTrust(this.directory, options.trust)
    const { robots, agents, lanes, ledger } = options
    const file = fresh ?? readCrawlFile(this.directory)
    this.#file = ledger
      ? { ...file, config: { ...file.config, ledger: ledger.url, name: ledger.name } }
      : file
    this.#config = {
      ...this.#file.config,
      ...(robots && { robots }),
      ...(agents && { agents }),
      ...(lanes && { lanes }),
    }
    this.#options = options
    checkHooks(options.hooks, this.#config.agents)
    if (fresh === null) this.#takeLock()
  }

  get config(): CrawlConfig {
    return this.#config
  }

  /**
   * Crawls to the end, the limit, or `stop`; writes and returns the report. `warn` is told at the start what
   * is not as safe as it could be.
   */
  async run(warn: (line: string) => void = () => {}): Promise<Report> {
    this.#warn = warn
    const usageStart = usageStartNow(clock)
    try {
      const { hooks: module } = this.config
      const isModule = module !== undefined && this.#options.hooks === undefined
      if (isModule) warn(`runs ${hooksNamed(module)}`)
      // Before anything is written. Without a module or a database nothing is awaited: the directory is ours
      // as soon as `run` returns.
      const hooks = isModule ? await hooksOfModule(module) : (this.#options.hooks ?? {})
      const there = this.#isNew ? inDatabase(this.config) : null
      if (there) await checkNewInDatabase(there)
      this.makeDirectory()
      return await this.#withScratch(scratch => this.#runWith(hooks, scratch, usageStart))
    } finally {
      this.#lock?.release()
    }
  }

  /** A folder for queues and seen-sets: in the directory, unless other machines may see that. */
  async #withScratch(run: (scratch: string) => Promise<Report>): Promise<Report> {
    if (!this.#isShared) return run(join(this.directory, 'frontier'))
    const scratch = mkdtempSync(join(tmpdir(), 'orbweaver-agent-'))
    try {
      return await run(scratch)
    } finally {
      rmSync(scratch, { recursive: true, force: true })
    }
  }

  /** Makes the directory of a new crawl, for whoever has to add something to it before `run`. */
  makeDirectory(): void {
    if (!this.#isNew || this.#isMade) return
    this.#isMade = true
    createDirectory(this.directory, this.#file)
    this.#takeLock()
  }

  #takeLock(): void {
    if (!this.#isShared) this.#lock = takeLock(this.directory)
  }

  /** Seals what there is and ends; `run` then resolves. Agents of other processes end too. */
  stop(): void {
    const isFirst = !this.#stopRequested
    this.#stopRequested = true
    this.#options.reader?.release()
    if (isFirst) this.#stopAll()
  }

  /** Null while the crawl starts: nothing is known of it yet. */
  progress(): Progress | null {
    if (!this.#running) return null
    const { agentPool, coordinatorRuntime } = this.#running
    return progressOf(agentPool.progress(), coordinatorRuntime.heartbeatTasks.progress)
  }

  #stopAll(): void {
    this.#running?.agentPool.stop()
    if (this.#isShared) void this.#ledger?.set({ stop: String(clock.now()) }).catch(() => {})
  }

  get #isShared(): boolean {
    return this.#config.ledger !== undefined
  }

  async #runWith(hooks: Hooks, scratch: string, usageStart: UsageStart): Promise<Report> {
    const { directory, config } = this
    const restored = this.#options.restored ?? false
    if (!this.#isNew) await checkForResume(directory, config, restored)
    let note = (_line: string) => {}
    const host = await hostLedger(directory, config, this.#isNew, line => {
      note(line)
      this.#warn(line)
    })
    this.#ledger = host.ledger
    const log = new Log(directory)
    note = line => log.warn(line)
    const worker = new StoreWorker()
    try {
      return await this.#crawl({ host, worker, log, hooks, scratch, usageStart })
    } finally {
      await this.#running?.coordinatorRuntime.close()
      await worker.close()
      this.#ledger = null
      await host.ledger.close()
      log.close()
    }
  }

  async #crawl(tools: Tools): Promise<Report> {
    const { config, directory } = this
    const name = crawlName(config)
    const { host, worker, log, hooks, scratch } = tools
    const { ledger } = host
    const startedAtMs = clock.now()
    const disk = new DiskGuard(directory, config.minFreeDisk, clock)
    await disk.look()
    const bus = new LocalBus()
    const faults = this.#faults
    const leaseMs = faults.leaseMs ?? LEASE_MS
    if (this.#isShared) await closeSilentIncarnations(ledger, name, leaseMs)
    else await ledger.endAllLeases()
    const coordinatorRuntime = await CoordinatorRuntime.begin({
      ...{ directory, name, config, ledger, bus, leaseMs, log, disk, worker, scratch },
      expectedAgents: config.agents,
      usageStart: tools.usageStart,
      listen: this.#options.listen ?? OWN_MACHINE,
      onStop: () => this.stop(),
    })
    try {
      if (!(await coordinatorRuntime.claim())) throw alreadyRunningError(name)
      refuseDamagedFiles(directory, await ledger.files())
      await this.#takeOver(ledger, log)
      // Before the first heartbeat: what ended the last run is not meant for this one.
      await ledger.set({ stop: '', [CONCLUDED]: '', [STARTED_AT]: String(startedAtMs) })
      const ready = this.#prepare(coordinatorRuntime, ledger, worker, log)
      const coordinating = coordinatorRuntime.run(ready)
      coordinating.catch(() => {})
      await ready
      const onDisk = (detail: string | null) => {
        disk.refused(detail)
        coordinatorRuntime.heartbeatTasks.onPack()
      }
      const seats = {
        directory,
        name,
        config,
        leaseMs,
        faults,
        host,
        bus,
        hooks,
        hasOwnHooks: this.#options.hooks !== undefined,
        reader: this.#options.reader ?? null,
        worker,
        log,
        disk,
        onDisk,
        scratch,
      }
      const agentPool = await openAgentPool(seats)
      this.#running = { agentPool, coordinatorRuntime }
      coordinatorRuntime.setAgentPool(agentPool)
      coordinatorRuntime.heartbeatTasks.recount()
      if (this.#stopRequested) this.#stopAll()
      return await this.#work(this.#running, coordinating, startedAtMs)
    } finally {
      await coordinatorRuntime.close()
    }
  }

  /** The pair is proved and the seat is ours: from here on no other ledger belongs to this directory. */
  async #takeOver(ledger: Ledger, log: Log): Promise<void> {
    const { directory, config } = this
    const restored = this.#options.restored ?? false
    await checkRelation(directory, ledger, config, restored)
    if (restored) {
      const aside = await quarantineUnlisted(directory, ledger)
      if (aside)
        this.#tell(log, `${aside.files} files that the ledger does not list are in ${aside.folder} now`)
    }
    await beginGeneration(directory, ledger)
    if (this.#options.ledger) writeCrawlFile(directory, this.#file)
    if (restored) await checkCommitted(directory, ledger, config)
  }

  #tell(log: Log, line: string): void {
    log.warn(line)
    this.#warn(line)
  }

  /** The ledger is open and seeded, and files are cut to what it has committed. */
  async #prepare(
    coordinatorRuntime: CoordinatorRuntime,
    ledger: Ledger,
    worker: StoreWorker,
    log: Log,
  ): Promise<void> {
    const { config, directory } = this
    await ledger.reopen()
    await seedCrawl(config, ledger, log, this.#isNew && this.#options.trust === true)
    const warn = (line: string) => this.#tell(log, line)
    await planRoutes({ directory, config, ledger, worker, warn })
    await saveRecord(ledger, this.#file, directory)
    const recovered = await coordinatorRuntime.recover()
    log.info('start', { version: VERSION, robots: config.robots, ...recovered })
    if (config.hooks !== undefined) log.info(`runs ${hooksNamed(config.hooks)}`)
    if (distrustOf(directory) !== null)
      warn(`${stateFolder()} cannot be written: resume will ask for --trust`)
    const { weaknesses } = await ledger.health(LEASE_MS)
    await ledger.set({ [WARNINGS]: JSON.stringify(weaknesses) })
    for (const line of weaknesses) warn(line)
    if (config.robots === 'ignore') log.warn('robots.txt is ignored (--robots ignore)')
    if (!this.#isShared) rmSync(join(directory, 'frontier'), { recursive: true, force: true })
  }

  async #work(
    { agentPool, coordinatorRuntime }: Running,
    coordinating: Promise<void>,
    startedAtMs: Millis,
  ): Promise<Report> {
    coordinating.catch(() => agentPool.stop())
    const failed = coordinating.then(() => new Promise<never>(() => {}))
    await Promise.race([agentPool.run(), failed])
    // Whoever stops a crawl waits for its end, and the report counts again.
    if (!this.#stopRequested) coordinatorRuntime.heartbeatTasks.recount()
    const report = await Promise.race([coordinatorRuntime.conclude(startedAtMs), failed])
    // Another process has taken the seat meanwhile, and written it.
    return report ?? (JSON.parse(readFileSync(join(this.directory, 'report.json'), 'utf8')) as Report)
  }
}
