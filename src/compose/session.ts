/** A crawl in this process, from the first look at its directory to the report. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AgentEnd,
  buildReport,
  type CrawledPage,
  countUrls,
  type Hooks,
  loadHooks,
  type Progress,
  progressOf,
  type Report,
  TableKeeper,
  type UrlCounts,
} from '../agent/index.js'
import { type Heartbeat, type Ledger, openSqliteLedger, threadLedger } from '../cluster/index.js'
import { ConfigError, type CrawlConfig } from '../config/index.js'
import { HostNames, Scope } from '../frontier/index.js'
import { cellOf, groupOf, siteOfCell } from '../model/cell.js'
import { sitemapMark } from '../model/mark.js'
import { isTrouble } from '../model/outcome.js'
import { siteOf } from '../model/url.js'
import { compilePattern } from '../model/url-pattern.js'
import { VERSION } from '../model/version.js'
import { writeFileAtomically, writeManifest } from '../store/index.js'
import { checkPaths, checkSeeds } from './check-seeds.js'
import { absolute, createDirectory, readCrawlFile } from './crawl-directory.js'
import { assembleCrew, type Crew, openFetcher, widenedScope } from './crew.js'
import { DirectoryLock } from './directory-lock.js'
import { DiskGuard } from './disk-guard.js'
import { DirectoryBusyError, DiskFullError } from './errors.js'
import { readKnownWeb } from './known-web.js'
import { initialSettings, LiveSettings } from './live-settings.js'
import { Log } from './log.js'
import { recoverDirectory } from './recovery.js'
import { writeSitesTable } from './sites-table.js'
import { StoreWorker } from './store-worker.js'
import { systemClock as clock } from './system.js'
import { startThread } from './thread.js'

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
  readonly ledger: Ledger
  readonly keeper: TableKeeper
  readonly live: LiveSettings
  readonly disk: DiskGuard
  readonly log: Log
  baseline: { pages: number; bytes: number; errors: number; sites: number; backlog: number }
}

interface Ended {
  readonly end: AgentEnd
  readonly urls: UrlCounts
}

export class CrawlSession {
  readonly directory: string
  readonly #config: CrawlConfig
  readonly #lock: DirectoryLock
  readonly #guests: Guests
  #running: Running | null = null
  #stopRequested = false
  #checkpoint = ''

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
    const ledger = this.#openLedger()
    try {
      const { end, urls } = await this.#crawl(ledger, worker, log, hooks)
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
    this.#running?.crew.agent.stop()
  }

  progress(): Progress {
    const running = this.#running
    if (!running)
      return { pages: 0, bytes: 0, errors: 0, queued: 0, sites: 0, activeSites: 0, waiting: 'starting' }
    const { crew, baseline, disk } = running
    return progressOf(crew.agent, crew.counters, baseline, {
      settings: crew.settings,
      now: clock.now(),
      trouble: disk.trouble,
      rateWaits: crew.rate.waiting,
    })
  }

  /** A first look in this thread: what is wrong with the file is said before anything starts. */
  #openLedger(): Ledger {
    const path = join(this.directory, LEDGER_FILE)
    const fresh = openSqliteLedger(path, { create: !existsSync(path), now: clock.now })
    void fresh.close()
    return threadLedger(startThread('ledger-thread', { path }))
  }

  async #loadHooks(): Promise<Hooks> {
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

  async #crawl(ledger: Ledger, worker: StoreWorker, log: Log, hooks: Hooks): Promise<Ended> {
    const { config, directory, name } = this
    await ledger.endAllLeases()
    await ledger.reopen()
    const settings = await this.#seed(ledger, log)
    const incarnation = await ledger.join('agent-1')
    const recovered = await recoverDirectory(directory, name, ledger, incarnation - 1)
    log.info('start', { version: VERSION, incarnation, robots: config.robots, ...recovered })
    if (config.robots === 'ignore') log.warn('robots.txt is ignored (--robots ignore)')
    const scope = new Scope({
      seeds: [...config.seeds, ...widenedScope(settings)],
      kind: config.scope,
      include: patternsOf(config.include),
      exclude: patternsOf(config.exclude),
    })
    const disk = new DiskGuard(directory, config.minFreeDisk, clock)
    const crew = assembleCrew({
      directory,
      name,
      config,
      hooks,
      ledger,
      incarnation,
      scope,
      disk,
      worker,
      log,
      recrawl: config.previous !== undefined,
      hosts: await knownHosts(ledger),
      waitingFor: () => this.progress().waiting,
      onHeartbeat: beat => this.#onHeartbeat(beat),
    })
    const keeper = new TableKeeper({
      incarnation,
      directory,
      ledger,
      worker,
      now: clock.now,
      writeManifest: manifest => writeManifest(directory, manifest),
    })
    const { settings: lanes, fetcher, rate, turns, agent } = crew
    const live = new LiveSettings({ lanes, fetcher, rate, turns, scope, agent })
    live.apply(settings)
    await disk.look()
    crew.settings.paused = live.userPaused || disk.trouble !== ''
    this.#running = { crew, ledger, keeper, live, disk, log, baseline: await this.#baseline(ledger) }
    if (this.#stopRequested) crew.agent.stop()
    return this.#work(this.#running, ledger)
  }

  async #work(running: Running, ledger: Ledger): Promise<Ended> {
    const { crew, keeper, log, disk } = running
    try {
      const end = await crew.agent.run()
      const { problems } = await crew.store.close()
      for (const problem of problems) log.warn(problem)
      if (this.config.tables !== 'none') {
        await keeper.finish()
        await writeSitesTable(this.directory, ledger)
        await keeper.finish()
      }
      if (disk.troubleMs > this.config.maxWait * 1000) throw new DiskFullError(disk.trouble)
      return { end, urls: await countUrls(ledger, crew.space, readKnownWeb(this.config, log)) }
    } catch (error) {
      await crew.store.abandon().catch(() => {})
      throw error
    } finally {
      await crew.fetcher.close()
      crew.space.close()
    }
  }

  /** Seeds, settings and the previous crawl go into the ledger once; a run that died on the way does it again. */
  async #seed(ledger: Ledger, log: Log): Promise<Readonly<Record<string, string>>> {
    const settings = await ledger.settings()
    if (settings.seeded === 'true') {
      await ledger.set({ stop: '' })
      return ledger.settings()
    }
    const { config } = this
    await ledger.set({ ...initialSettings(config), stop: '' })
    if (config.previous !== undefined) {
      // Loaded only here: it brings DuckDB along.
      const { importPrevious } = await import('./recrawl.js')
      await importPrevious(config.previous, ledger, config.group, log)
    }
    const sitemaps = config.sitemap.filter(entry => entry !== 'robots' && entry !== 'none').map(sitemapMark)
    await ledger.append(
      [...config.seeds, ...sitemaps].map(url => ({
        cell: cellOf(url),
        group: groupOf(siteOf(url), config.group),
        rows: [{ url, depth: 0, hops: 0, score: 1, via: '' }],
      })),
    )
    await ledger.set({ seeded: 'true' })
    return ledger.settings()
  }

  async #baseline(ledger: Ledger): Promise<Running['baseline']> {
    const totals = await ledger.totals()
    const sites = Object.values(totals.cells).reduce((sum, count) => sum + count, 0)
    const errors = totals.outcomes.reduce((sum, { code, count }) => sum + (isTrouble(code) ? count : 0), 0)
    return { pages: totals.pages, bytes: totals.bytes, errors, sites, backlog: totals.backlog }
  }

  #onHeartbeat(beat: Heartbeat): void {
    const running = this.#running
    if (!running) return
    const { live, disk, crew, keeper } = running
    live.apply(beat.settings)
    crew.settings.paused = live.userPaused || disk.trouble !== ''
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
    void running.crew.transmitter.seal().then(() => running.ledger.set({ 'checkpoint.done': asked }))
  }
}

function patternsOf(sources: readonly string[]): RegExp[] {
  return sources.map(source => {
    const pattern = compilePattern(source)
    if (typeof pattern === 'string') throw new ConfigError(pattern)
    return pattern
  })
}

/** The hosts that earlier runs met, and the domains they gave up. */
async function knownHosts(ledger: Ledger): Promise<HostNames> {
  const hosts = new HostNames()
  for (let after = ''; ; ) {
    const batch = await ledger.sites(after, 1_000)
    if (batch.length === 0) return hosts
    for (const { cell, outcomes } of batch) {
      hosts.admits(siteOfCell(cell))
      const refused = outcomes.find(({ code }) => code === 'TRAP:subdomains')
      if (refused !== undefined) hosts.giveUp(refused.detail)
    }
    after = batch[batch.length - 1].cell
  }
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
