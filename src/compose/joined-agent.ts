/**
 * An agent in a process of its own, on this machine or another: joins a crawl that `crawl` or `resume` runs, works until it
 * ends, and may be killed at any time. It sees the crawl's directory, and the ledger is in PostgreSQL. When the ledger has
 * ended its life, because it was silent for too long, it begins another, in another thread.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentEnd } from '../agent/index.js'
import { type Ledger, LocalBus } from '../cluster/index.js'
import { ConfigError, type CrawlConfig } from '../config/index.js'
import { absolute, crawlName, readCrawlFile } from './crawl-directory.js'
import { leaseNow } from './faults.js'
import { Log } from './log.js'
import { bridge, type CrawlInDatabase, inDatabase, openBus, openPatiently } from './open-ledger.js'
import { systemClock as clock } from './system.js'
import { ThreadCrew } from './thread-crew.js'

/** How often it looks whether the crawl is to stop. */
const LOOK_MS = 1_000

/** Told apart from the agents that a session starts itself: their names have no colon. */
export function isElsewhere(agent: string): boolean {
  return agent.includes(':')
}

export class JoinedAgent {
  readonly name = `${hostname()}:${process.pid}`
  readonly #directory: string
  readonly #config: CrawlConfig
  readonly #there: CrawlInDatabase
  #crew: ThreadCrew | null = null
  #isStopping = false

  constructor(directory: string, lanes?: number) {
    this.#directory = absolute(directory)
    const { config } = readCrawlFile(this.#directory)
    const there = inDatabase(config)
    if (!there)
      throw new ConfigError(
        `the ledger of ${directory} is a file: only a crawl with --ledger postgres://… can be joined`,
      )
    this.#config = { ...config, ...(lanes !== undefined && { lanes }) }
    this.#there = there
  }

  /** Until the crawl has ended, or `stop`. */
  async run(): Promise<AgentEnd> {
    const ledger = await openPatiently(this.#there)
    const scratch = mkdtempSync(join(tmpdir(), 'orbweaver-agent-'))
    const log = new Log(this.#directory)
    const bus = new LocalBus()
    const wide = await openBus(this.#there)
    bridge(bus, wide)
    try {
      if (!(await ledger.totals()).open) return 'ended'
      return await this.#crawl(ledger, bus, log, scratch)
    } finally {
      await wide.close()
      await ledger.close()
      log.close()
      rmSync(scratch, { recursive: true, force: true })
    }
  }

  /** What is fetched is committed first. */
  stop(): void {
    this.#isStopping = true
    this.#crew?.stop()
  }

  async #crawl(ledger: Ledger, bus: LocalBus, log: Log, scratch: string): Promise<AgentEnd> {
    const crew = new ThreadCrew({
      directory: this.#directory,
      crawl: crawlName(this.#config),
      config: this.#config,
      agents: 1,
      names: [this.name],
      scratch,
      leaseMs: leaseNow(),
      isDeaf: false,
      harms: null,
      ledger,
      ledgerHost: { ledger, connect: () => this.#there },
      bus,
      log,
      onDiskTrouble: detail => crew.setDiskTrouble(detail ?? ''),
    })
    this.#crew = crew
    if (this.#isStopping) crew.stop()
    log.info('an agent joins', { agent: this.name })
    const deaf = this.#heedStop(ledger)
    const end = await crew.run().finally(deaf)
    // Its files are closed: nothing is left to recover.
    const own = (await ledger.agents()).filter(({ name }) => name === this.name)
    for (const { incarnation } of own) await ledger.leave(incarnation)
    return end
  }

  /** `orbweaver stop` is for all who work on the crawl. Returns how to heed it no more. */
  #heedStop(ledger: Ledger): () => void {
    let cancel = () => {}
    const look = () => {
      cancel = clock.after(LOOK_MS, look)
      void ledger.settings().then(
        ({ stop }) => stop && this.stop(),
        () => {},
      )
    }
    look()
    return () => cancel()
  }
}
