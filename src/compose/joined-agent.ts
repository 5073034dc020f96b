/**
 * An agent in a process of its own, on this machine or another: joins a crawl whose ledger is in PostgreSQL,
 * works until it ends, and may be killed at any time. What the crawl is asked for it reads from the ledger.
 * When the ledger has ended its incarnation, because it was silent for too long, it begins another, in
 * another thread. If it sees the store it stands by as coordinator: when the one there is falls silent, it
 * goes on in its place. If not, its packs go to the coordinator (D11).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { LocalBus } from '../bus/index.js'
import type { AgentEnd } from '../cluster/agent/index.js'
import { ConfigError, type CrawlConfig } from '../config/index.js'
import type { Ledger } from '../ledger/index.js'
import { DiskGuard } from '../runtime/index.js'
import { CoordinatorRuntime } from './coordinator-runtime.js'
import { readRecord } from './crawl-record.js'
import { leaseNow } from './faults.js'
import { type FoundCrawl, needTrusted } from './find-crawl.js'
import { checkPairNow } from './generation.js'
import { Log } from './log.js'
import { bridge, type CrawlInDatabase, openBus, openWithRetry } from './open-ledger.js'
import { type ListenPlace, OWN_MACHINE } from './pack-endpoint.js'
import { CONCLUDED, STARTED_AT } from './run-report.js'
import { StoreWorker } from './store-worker.js'
import { systemClock as clock } from './system-clock.js'
import { ThreadAgentPool } from './thread-agent-pool.js'
import { hooksNamed } from './trust.js'

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

/** How often one without the store looks whether the crawl is to stop. */
const LOOK_MS = 1_000

/** What the user is told on the way. */
interface JoinTalk {
  /** Nothing speaks against joining any more. */
  readonly onJoin?: () => void
  /** A line before code of the crawl runs. */
  readonly tell?: (line: string) => void
}

export class JoinedAgent {
  readonly name = `${hostname()}:${process.pid}`
  readonly #crawl: FoundCrawl
  readonly #config: CrawlConfig
  readonly #there: CrawlInDatabase
  readonly #listen: ListenPlace
  readonly #leaseMs = leaseNow()
  #agentPool: ThreadAgentPool | null = null
  #isStopping = false

  constructor(crawl: FoundCrawl, { lanes, listen = OWN_MACHINE }: AgentChoices) {
    this.#crawl = crawl
    this.#listen = listen
    const { there, config, directory } = crawl
    needTrusted(crawl)
    if (!there)
      throw new ConfigError(
        `the ledger of ${directory} is a file; agents can join only a crawl with --ledger postgres://…`,
      )
    this.#config = { ...config, ...(lanes !== undefined && { lanes }) }
    this.#there = there
  }

  /** Until the crawl has ended, or `stop`. */
  async run({ onJoin, tell }: JoinTalk = {}): Promise<AgentEnd> {
    const { directory } = this.#crawl
    const ledger = await openWithRetry(this.#there)
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
    const log = new Log(directory)
    const joining = { ledger, bus: new LocalBus(), log, scratch }
    try {
      log.info('an agent joins', { agent: this.name, seesStore: directory !== null })
      const { hooks } = this.#config
      if (hooks !== undefined) {
        log.info(`runs ${hooksNamed(hooks)}`, { agent: this.name })
        tell?.(`runs ${hooksNamed(hooks)}`)
      }
      return directory === null ? await this.#sendPacks(joining) : await this.#standBy(directory, joining)
    } finally {
      log.close()
      rmSync(scratch, { recursive: true, force: true })
    }
  }

  /** What is fetched is committed first. The crawl goes on with others. */
  stop(): void {
    this.#isStopping = true
    this.#agentPool?.stop()
  }

  /**
   * Also of a crawl that has ended there may be something left to do: its coordinator was killed before the
   * report.
   */
  async #isOver(ledger: Ledger): Promise<boolean> {
    const [{ open }, settings] = await Promise.all([ledger.totals(), ledger.settings()])
    return !open && (this.#crawl.directory === null || settings[CONCLUDED] !== '')
  }

  /** With the store at hand: coordinates too, should nobody else. */
  async #standBy(directory: string, joining: Joining): Promise<AgentEnd> {
    const { ledger, bus, log, scratch } = joining
    const config = this.#config
    const worker = new StoreWorker()
    const disk = new DiskGuard(directory, config.minFreeDisk, clock)
    const coordinatorRuntime = await CoordinatorRuntime.begin({
      ...{ directory, name: this.#crawl.name, config, ledger, bus, log, disk, worker, scratch },
      expectedAgents: 0,
      listen: this.#listen,
      leaseMs: this.#leaseMs,
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
      await Promise.race([this.#seeOff(ledger, coordinatorRuntime), failed])
      return end
    } finally {
      await coordinatorRuntime.close()
      await worker.close()
    }
  }

  /** Without the store: packs go to whoever coordinates. While nobody does, nothing is fetched. */
  async #sendPacks(joining: Joining): Promise<AgentEnd> {
    const { ledger, bus, log } = joining
    const token = (await readRecord(ledger))?.token
    const wide = await openBus(this.#there)
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
    const unsubscribe = this.#heedStop(ledger)
    try {
      return await agentPool.run()
    } finally {
      unsubscribe()
      await wide.close()
    }
  }

  #newAgentPool(joining: Joining, onDisk: (detail: string | null) => void, token?: string): ThreadAgentPool {
    const { ledger, bus, log, scratch } = joining
    const agentPool = new ThreadAgentPool({
      directory: this.#crawl.directory,
      ...(token !== undefined && { token }),
      crawl: this.#crawl.name,
      config: this.#config,
      agents: 1,
      names: [this.name],
      scratch,
      leaseMs: this.#leaseMs,
      dropsNotices: false,
      injectedFaults: null,
      ledger,
      ledgerHost: { ledger, connect: () => this.#there },
      bus,
      log,
      onDiskTrouble: onDisk,
      reader: null,
    })
    this.#agentPool = agentPool
    if (this.#isStopping) agentPool.stop()
    return agentPool
  }

  /** Whoever coordinates may be gone by now: then what is left to do at the end is done here. */
  async #seeOff(ledger: Ledger, coordinatorRuntime: CoordinatorRuntime): Promise<void> {
    const settings = await ledger.settings()
    if ((await ledger.totals()).open && (settings.stop ?? '') === '') return
    await coordinatorRuntime.conclude(Number(settings[STARTED_AT] ?? clock.now()))
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
