/**
 * An agent in a process of its own, on this machine or another. It joins a crawl whose ledger is in
 * PostgreSQL, reads the settings there, and crawls until the crawl ends; it may be killed at any time. When
 * the ledger has ended its incarnation because it was silent for too long, another begins in another thread.
 * If it sees the store it stands by for the coordinator's seat. If not, it sends its packs to the coordinator
 * (D11).
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { LocalBus } from '../../bus/index.js'
import type { AgentEnd } from '../../cluster/agent/index.js'
import { ConfigError, type CrawlConfig } from '../../config/index.js'
import type { Ledger } from '../../ledger/index.js'
import { type FoundCrawl, needTrusted } from '../access/index.js'
import { ThreadAgentPool } from '../agents/index.js'
import { checkPairNow, guestNamed, indexFolder, Log, readRecord } from '../directory/index.js'
import { JOINED_AGENT_LOOK_MS } from '../limits.js'
import { DiskGuard } from '../machine/index.js'
import type { CrawlInDatabase, Platform } from '../platform/index.js'
import { checkSources } from '../settings/index.js'
import { StoreWorker } from '../threads/index.js'
import { CoordinatorRuntime } from './coordinator-runtime.js'
import { indexArchives } from './index-archives.js'
import { type ListenPlace, OWN_MACHINE } from './pack-endpoint.js'
import { bridge } from './remote-agents.js'
import { CONCLUDED, STARTED_AT } from './run-report.js'

export interface AgentChoices {
  readonly lanes?: number | undefined
  /** Where agents that do not see the store can reach this process, should it coordinate. */
  readonly listen?: ListenPlace | undefined
}

interface Joining {
  readonly ledger: Ledger
  readonly bus: LocalBus
  readonly log: Log
  readonly scratch: string
}

/** Callbacks for messages to the user. */
interface JoinTalk {
  /** Called when all checks before joining have passed. */
  readonly onJoin?: () => void
  /** Called with a line before code that the crawl names runs. */
  readonly tell?: (line: string) => void
}

export class JoinedAgent {
  readonly name = `${hostname()}:${process.pid}`
  readonly #platform: Platform
  readonly #crawl: FoundCrawl
  readonly #config: CrawlConfig
  readonly #there: CrawlInDatabase
  readonly #listen: ListenPlace
  #agentPool: ThreadAgentPool | null = null
  #isStopping = false

  constructor(platform: Platform, crawl: FoundCrawl, { lanes, listen = OWN_MACHINE }: AgentChoices) {
    this.#platform = platform
    this.#crawl = crawl
    this.#listen = listen
    const { there, config, directory } = crawl
    needTrusted(crawl)
    if (!there)
      throw new ConfigError(
        `the ledger of ${directory} is a file; agents can join only a crawl with --ledger postgres://…`,
      )
    checkSources(config)
    this.#config = { ...config, ...(lanes !== undefined && { lanes }) }
    this.#there = there
  }

  /** Crawls until the crawl has ended or `stop` is called. */
  async run({ onJoin, tell }: JoinTalk = {}): Promise<AgentEnd> {
    const { directory } = this.#crawl
    const ledger = await this.#platform.ledgers.openWithRetry(this.#there)
    try {
      if (directory !== null) await checkPairNow(directory, ledger, this.#config)
      onJoin?.()
      return (await this.#isOver(ledger)) ? 'ended' : await this.#join(ledger, tell)
    } finally {
      await ledger.close()
    }
  }

  async #join(ledger: Ledger, tell: JoinTalk['tell']): Promise<AgentEnd> {
    const { directory } = this.#crawl
    const scratch = mkdtempSync(join(tmpdir(), 'orbweaver-agent-'))
    const log = new Log(directory, this.#platform.clock)
    const joining = { ledger, bus: new LocalBus(), log, scratch }
    try {
      log.info('an agent joins', { agent: this.name, seesStore: directory !== null })
      if (this.#config.guest !== undefined) {
        log.info(`runs ${guestNamed(this.#config)}`, { agent: this.name })
        tell?.(`runs ${guestNamed(this.#config)}`)
      }
      const folder = indexFolder(directory, scratch)
      const isStopped = () => this.#isStopping
      await indexArchives({ config: this.#config, folder, log, tell: tell ?? (() => {}), isStopped })
      return directory === null ? await this.#sendPacks(joining) : await this.#standBy(directory, joining)
    } finally {
      log.close()
      rmSync(scratch, { recursive: true, force: true })
    }
  }

  /** Commits what is fetched and ends. The crawl continues with other agents. */
  stop(): void {
    this.#isStopping = true
    this.#agentPool?.stop()
  }

  /**
   * A crawl that has ended may still need its report, if its coordinator was killed before.
   */
  async #isOver(ledger: Ledger): Promise<boolean> {
    const [{ open }, settings] = await Promise.all([ledger.crawlState(), ledger.settings()])
    return !open && (this.#crawl.directory === null || settings[CONCLUDED] !== '')
  }

  /** With the store: coordinates too when no other process does. */
  async #standBy(directory: string, joining: Joining): Promise<AgentEnd> {
    const { ledger } = joining
    const config = this.#config
    const { clock, startThread } = this.#platform
    const worker = new StoreWorker(startThread)
    const disk = new DiskGuard(directory, config.minFreeDisk, clock)
    const coordinatorRuntime = await CoordinatorRuntime.begin({
      ...joining,
      platform: this.#platform,
      directory,
      name: this.#crawl.name,
      config,
      disk,
      worker,
      expectedAgents: 0,
      listen: this.#listen,
      usageStart: null,
      onStop: () => this.stop(),
    })
    const agentPool = this.#newAgentPool(joining, detail => {
      disk.refused(detail)
      coordinatorRuntime.heartbeatTasks.onPack()
    })
    coordinatorRuntime.setAgentPool(agentPool)
    const coordinating = coordinatorRuntime.run(Promise.resolve())
    const failed = coordinating.then(() => new Promise<never>(() => {}))
    try {
      const end = await Promise.race([agentPool.run(), failed])
      await Promise.race([this.#concludeIfNeeded(ledger, coordinatorRuntime), failed])
      return end
    } finally {
      await coordinatorRuntime.close()
      await worker.close()
    }
  }

  /** Without the store: sends packs to the coordinator. While there is none, nothing is fetched. */
  async #sendPacks(joining: Joining): Promise<AgentEnd> {
    const { ledger, bus, log } = joining
    const token = (await readRecord(ledger))?.token
    const wide = await this.#platform.ledgers.openBus(this.#there)
    bridge(bus, wide)
    let trouble = ''
    const agentPool = this.#newAgentPool(
      joining,
      detail => {
        if (detail !== null && trouble === '') log.warn('packs wait for a coordinator', { why: detail })
        trouble = detail ?? ''
        agentPool.setDiskTrouble(trouble)
      },
      token,
    )
    const unsubscribe = this.#stopWithCrawl(ledger)
    try {
      return await agentPool.run()
    } finally {
      unsubscribe()
      await wide.close()
    }
  }

  #newAgentPool(joining: Joining, onDisk: (detail: string | null) => void, token?: string): ThreadAgentPool {
    const agentPool = new ThreadAgentPool({
      ...joining,
      platform: this.#platform,
      directory: this.#crawl.directory,
      ...(token !== undefined && { token }),
      crawl: this.#crawl.name,
      config: this.#config,
      names: [this.name],
      host: { ledger: joining.ledger, connect: () => this.#there },
      onDiskTrouble: onDisk,
      reader: null,
    })
    this.#agentPool = agentPool
    if (this.#isStopping) agentPool.stop()
    return agentPool
  }

  /** Concludes the crawl if it has ended and its coordinator has not done so. */
  async #concludeIfNeeded(ledger: Ledger, coordinatorRuntime: CoordinatorRuntime): Promise<void> {
    const settings = await ledger.settings()
    if ((await ledger.crawlState()).open && (settings.stop ?? '') === '') return
    await coordinatorRuntime.conclude(Number(settings[STARTED_AT] ?? this.#platform.clock.now()))
  }

  /**
   * Stops this agent after `orbweaver stop`, which ends all processes of the crawl. Returns the function that
   * unsubscribes.
   */
  #stopWithCrawl(ledger: Ledger): () => void {
    let cancel = () => {}
    const look = () => {
      cancel = this.#platform.clock.after(JOINED_AGENT_LOOK_MS, look)
      void ledger.settings().then(
        ({ stop }) => stop && this.stop(),
        () => {},
      )
    }
    look()
    return () => cancel()
  }
}
