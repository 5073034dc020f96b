/**
 * An agent in a process of its own, on this machine or another: joins a crawl that `crawl` or `resume` runs, works until it
 * ends, and may be killed at any time. It sees the crawl's directory, and the ledger is in PostgreSQL. When the ledger has
 * ended its life, because it was silent for too long, it begins another.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentEnd, FencedError, LEASE_MS, loadHooks } from '../agent/index.js'
import type { Bus, Incarnation, Ledger } from '../cluster/index.js'
import { ConfigError, type CrawlConfig } from '../config/index.js'
import { sleep } from '../model/clock.js'
import { AgentHost } from './agent-host.js'
import { absolute, crawlName, readCrawlFile } from './crawl-directory.js'
import { readFaults } from './faults.js'
import { Log } from './log.js'
import { type CrawlInDatabase, inDatabase, openBus, openPatiently } from './open-ledger.js'
import { StoreWorker } from './store-worker.js'
import { systemClock as clock } from './system.js'

/** Until it tries again as somebody new. */
const NEW_LIFE_MS = 1_000

/** Told apart from the agents that a session starts itself: their names have no colon. */
export function isElsewhere(agent: string): boolean {
  return agent.includes(':')
}

export class JoinedAgent {
  readonly name = `${hostname()}:${process.pid}`
  readonly #directory: string
  readonly #config: CrawlConfig
  readonly #there: CrawlInDatabase
  readonly #leaseMs = readFaults(process.env.ORBWEAVER_FAULTS).leaseMs ?? LEASE_MS
  #host: AgentHost | null = null
  #isStopping = false

  constructor(directory: string, lanes?: number) {
    this.#directory = absolute(directory)
    const { config } = readCrawlFile(this.#directory)
    const there = inDatabase(config)
    if (!there)
      throw new ConfigError(
        `the ledger of ${directory} is a file: only a crawl with --ledger postgres://… can be joined`,
      )
    this.#config = { ...config, agents: 1, ...(lanes !== undefined && { lanes }) }
    this.#there = there
  }

  /** Until the crawl has ended, or `stop`. */
  async run(): Promise<AgentEnd> {
    const ledger = await openPatiently(this.#there)
    const bus = await openBus(this.#there)
    const log = new Log(this.#directory)
    try {
      for (;;) {
        if (this.#isStopping) return 'stopped'
        if (!(await ledger.totals()).open) return 'ended'
        const end = await this.#live(ledger, bus, log)
        if (end !== 'fenced') return end
        await sleep(clock, NEW_LIFE_MS)
      }
    } finally {
      await bus.close()
      await ledger.close()
      log.close()
    }
  }

  /** What is fetched is committed first. */
  stop(): void {
    this.#isStopping = true
    this.#host?.stop()
  }

  async #live(ledger: Ledger, bus: Bus, log: Log): Promise<AgentEnd | 'fenced'> {
    const incarnation = await ledger.join(this.name, this.#config.lanes)
    const scratch = mkdtempSync(join(tmpdir(), 'orbweaver-agent-'))
    const worker = new StoreWorker()
    log.info('an agent joins', { agent: this.name, incarnation })
    try {
      const { hooks } = this.#config
      const host = await AgentHost.open(this.#order(incarnation, scratch), {
        ledger,
        bus,
        hooks: hooks === undefined ? {} : await loadHooks(hooks, absolute),
        log,
        worker,
        onDiskTrouble: detail => this.#host?.setDiskTrouble(detail ?? ''),
        // Of the whole crawl, by `orbweaver stop`.
        onHeartbeat: ({ settings }) => settings.stop && this.stop(),
      })
      this.#host = host
      if (this.#isStopping) host.stop()
      const end = await host.run()
      // Its files are closed: nothing is left to recover.
      await ledger.leave(incarnation)
      return end
    } catch (error) {
      if (!(error instanceof FencedError)) throw error
      log.warn('an agent was fenced off; it begins anew', { agent: this.name, incarnation })
      return 'fenced'
    } finally {
      this.#host = null
      await worker.close()
      rmSync(scratch, { recursive: true, force: true })
    }
  }

  #order(incarnation: Incarnation, scratch: string) {
    return {
      directory: this.#directory,
      crawl: crawlName(this.#config),
      config: this.#config,
      agent: this.name,
      incarnation,
      agents: 1,
      sourceAddress: this.#config.sourceAddress[0],
      leaseMs: this.#leaseMs,
      diskTrouble: '',
      scratch,
    }
  }
}
