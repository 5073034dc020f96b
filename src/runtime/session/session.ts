/** A crawl in this process, from the first look at its directory to the report. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LocalBus } from '../../bus/index.js'
import type { CrawlConfig } from '../../config/index.js'
import type { Ledger } from '../../ledger/index.js'
import { type Millis, VERSION } from '../../model/index.js'
import type { Guest } from '../../page/guest/index.js'
import { type Progress, progressOf, type Report } from '../../report/index.js'
import { alreadyRunningError, closeSilentIncarnations, needReadable } from '../access/index.js'
import { type AgentPool, openAgentPool } from '../agents/index.js'
import {
  absolute,
  type CrawlFile,
  checkVacant,
  crawlName,
  createDirectory,
  type DirectoryLock,
  guestNamed,
  indexFolder,
  Log,
  needTrust,
  newCrawlFile,
  readCrawlFile,
  takeLock,
} from '../directory/index.js'
import { DiskGuard, type UsageStart, usageStartNow } from '../machine/index.js'
import { inDatabase, type LedgerHost, type Platform } from '../platform/index.js'
import { checkForResume } from '../recovery/index.js'
import { agentNames } from '../routing/index.js'
import { checkPaths, checkSeeds, checkSources, planOf } from '../settings/index.js'
import { StoreWorker } from '../threads/index.js'
import { CoordinatorRuntime } from './coordinator-runtime.js'
import { indexArchives } from './index-archives.js'
import { OWN_MACHINE } from './pack-endpoint.js'
import { checkOwnGuest, type RunOptions } from './run-options.js'
import { REPORT_FILE } from './run-report.js'
import { prepareCrawl, type StartParts, takeDirectory } from './start-crawl.js'

type Tell = (line: string) => void

/** A session that makes a new crawl directory when it runs. Throws when an option is wrong. */
export function createSession(
  platform: Platform,
  config: CrawlConfig,
  directory: string,
  options: RunOptions = {},
): CrawlSession {
  checkSeeds(config)
  checkPaths(config)
  checkSources(config)
  planOf(config, platform.clock.now())
  platform.openFetcher(config)
  if (config.previous !== undefined) needReadable(config.previous, platform, options.trust)
  checkOwnGuest(options.guest, config.agents)
  checkVacant(directory)
  return new CrawlSession(platform, directory, options, newCrawlFile(config, VERSION, platform))
}

/** Continues the crawl in `directory`. */
export function resumeSession(platform: Platform, directory: string, options: RunOptions = {}): CrawlSession {
  return new CrawlSession(platform, directory, options, null)
}

interface Running {
  readonly agentPool: AgentPool
  readonly coordinatorRuntime: CoordinatorRuntime
}

/** Resources that stay open for the whole run. */
interface Tools {
  readonly host: LedgerHost
  readonly worker: StoreWorker
  readonly log: Log
  readonly guest: Guest | null
  /** For queues and seen-sets. */
  readonly scratch: string
  readonly usageStart: UsageStart
}

export class CrawlSession {
  readonly directory: string
  readonly #platform: Platform
  readonly #file: CrawlFile
  readonly #config: CrawlConfig
  /** Null where the ledger is in a database: there the coordinator's seat keeps others out. */
  #lock: DirectoryLock | null = null
  readonly #options: RunOptions
  readonly #isNew: boolean
  #isMade = false
  #running: Running | null = null
  #ledger: Ledger | null = null
  #stopRequested = false

  /** `fresh`: the content of crawl.json of a new crawl; null continues the crawl that is there. */
  constructor(platform: Platform, directory: string, options: RunOptions, fresh: CrawlFile | null) {
    this.#platform = platform
    this.#options = options
    this.#isNew = fresh !== null
    this.directory = absolute(directory)
    if (fresh === null) needTrust(this.directory, platform, options.trust)
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
    checkOwnGuest(options.guest, this.#config.agents)
    if (fresh === null) this.#takeLock()
  }

  get config(): CrawlConfig {
    return this.#config
  }

  /**
   * Crawls to the end, the limit, or `stop`; writes and returns the report. `warn` is called at the start
   * with each risk that the user should know.
   */
  async run(warn: Tell = () => {}): Promise<Report> {
    const usageStart = usageStartNow(this.#platform.clock)
    let guest: Guest | null = null
    try {
      // Checks come before the first write. With no module to load and no database to check, nothing is
      // awaited here, so the directory is locked as soon as `run` returns its promise.
      checkSources(this.#config)
      const { guest: own } = this.#options
      if (this.#config.guest !== undefined && own === undefined) warn(`runs ${guestNamed(this.#config)}`)
      const opening = this.#platform.openGuest(this.#config, own)
      guest = opening instanceof Promise ? await opening : opening
      const there = this.#isNew ? inDatabase(this.#config) : null
      if (there) await this.#platform.ledgers.checkNew(there)
      this.makeDirectory()
      return await this.#withScratch(scratch => this.#withTools({ guest, scratch, usageStart }, warn))
    } finally {
      await guest?.close()
      this.#lock?.release()
    }
  }

  /** Makes the directory of a new crawl, for a caller that has to add something to it before `run`. */
  makeDirectory(): void {
    if (!this.#isNew || this.#isMade) return
    this.#isMade = true
    createDirectory(this.directory, this.#file, this.#platform.clock)
    this.#takeLock()
  }

  /** Commits what was fetched and ends the crawl; `run` then resolves. Agents of other processes end too. */
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

  get #isShared(): boolean {
    return this.#config.ledger !== undefined
  }

  #takeLock(): void {
    if (!this.#isShared) this.#lock = takeLock(this.directory)
  }

  #stopAll(): void {
    this.#running?.agentPool.stop()
    if (this.#isShared) void this.#ledger?.set({ stop: String(this.#platform.clock.now()) }).catch(() => {})
  }

  /**
   * Queues and seen-sets are in the crawl directory, or in a temporary folder if processes on other machines
   * may share the crawl directory.
   */
  async #withScratch(run: (scratch: string) => Promise<Report>): Promise<Report> {
    if (!this.#isShared) return run(join(this.directory, 'frontier'))
    const scratch = mkdtempSync(join(tmpdir(), 'orbweaver-agent-'))
    try {
      return await run(scratch)
    } finally {
      rmSync(scratch, { recursive: true, force: true })
    }
  }

  /** Opens the ledger, the log and the store's thread around the crawl. */
  async #withTools(given: Omit<Tools, 'host' | 'worker' | 'log'>, warn: Tell): Promise<Report> {
    const { clock, ledgers, startThread } = this.#platform
    const { directory, config } = this
    if (!this.#isNew) await checkForResume(ledgers, directory, config, this.#options.restored ?? false)
    let note: Tell = () => {}
    const tell: Tell = line => {
      note(line)
      warn(line)
    }
    const host = await ledgers.host(directory, config, this.#isNew, tell)
    this.#ledger = host.ledger
    const log = new Log(directory, clock)
    note = line => log.warn(line)
    const worker = new StoreWorker(startThread)
    try {
      const folder = indexFolder(directory, given.scratch)
      await indexArchives({ config, folder, log, tell, isStopped: () => this.#stopRequested })
      return await this.#crawl({ ...given, host, worker, log }, tell)
    } finally {
      await this.#running?.coordinatorRuntime.close()
      await worker.close()
      this.#ledger = null
      await host.ledger.close()
      log.close()
    }
  }

  async #crawl(tools: Tools, tell: Tell): Promise<Report> {
    const { clock } = this.#platform
    const startedAtMs = clock.now()
    const disk = new DiskGuard(this.directory, this.#config.minFreeDisk, clock)
    await disk.look()
    const bus = new LocalBus()
    const coordinatorRuntime = await this.#openCoordinator(tools, disk, bus)
    try {
      if (!(await coordinatorRuntime.claim())) throw alreadyRunningError(crawlName(this.#config))
      const start = this.#startParts(tools, tell, startedAtMs)
      await takeDirectory(start)
      const ready = prepareCrawl(start, () => coordinatorRuntime.recover())
      const coordinating = coordinatorRuntime.run(ready)
      coordinating.catch(() => {})
      await ready
      const agentPool = await this.#openAgents(tools, disk, bus, coordinatorRuntime)
      this.#running = { agentPool, coordinatorRuntime }
      coordinatorRuntime.setAgentPool(agentPool)
      coordinatorRuntime.heartbeatTasks.recount()
      if (this.#stopRequested) this.#stopAll()
      return await this.#work(this.#running, coordinating, startedAtMs)
    } finally {
      await coordinatorRuntime.close()
    }
  }

  /** Throws while another process coordinates; silent agents of an earlier run lose their leases. */
  async #openCoordinator(tools: Tools, disk: DiskGuard, bus: LocalBus): Promise<CoordinatorRuntime> {
    const { ledger } = tools.host
    const name = crawlName(this.#config)
    if (this.#isShared) await closeSilentIncarnations(ledger, name, this.#platform)
    else await ledger.endAllLeases()
    return CoordinatorRuntime.begin({
      ...tools,
      platform: this.#platform,
      directory: this.directory,
      name,
      config: this.#config,
      ledger,
      bus,
      disk,
      expectedAgents: this.#config.agents,
      listen: this.#options.listen ?? OWN_MACHINE,
      onStop: () => this.stop(),
    })
  }

  #startParts({ host, worker, log }: Tools, tell: Tell, startedAtMs: Millis): StartParts {
    return {
      platform: this.#platform,
      directory: this.directory,
      file: this.#file,
      config: this.#config,
      options: this.#options,
      isNew: this.#isNew,
      startedAtMs,
      ledger: host.ledger,
      worker,
      log,
      tell,
    }
  }

  #openAgents(
    tools: Tools,
    disk: DiskGuard,
    bus: LocalBus,
    { heartbeatTasks }: CoordinatorRuntime,
  ): Promise<AgentPool> {
    return openAgentPool({
      ...tools,
      platform: this.#platform,
      directory: this.directory,
      crawl: crawlName(this.#config),
      config: this.#config,
      names: agentNames(this.#config.agents),
      bus,
      hasOwnGuest: this.#options.guest !== undefined,
      reader: this.#options.reader ?? null,
      diskTrouble: disk.trouble,
      onDiskTrouble: detail => {
        disk.refused(detail)
        heartbeatTasks.onPack()
      },
    })
  }

  async #work(
    { agentPool, coordinatorRuntime }: Running,
    coordinating: Promise<void>,
    startedAtMs: Millis,
  ): Promise<Report> {
    coordinating.catch(() => agentPool.stop())
    const failed = coordinating.then(() => new Promise<never>(() => {}))
    await Promise.race([agentPool.run(), failed])
    // Not after a stop: the user is waiting for the end, and the report counts again anyway.
    if (!this.#stopRequested) coordinatorRuntime.heartbeatTasks.recount()
    const report = await Promise.race([coordinatorRuntime.conclude(startedAtMs), failed])
    // Null: another process has taken the seat meanwhile, and has written the report.
    return report ?? (JSON.parse(readFileSync(join(this.directory, REPORT_FILE), 'utf8')) as Report)
  }
}
