/** The agents of this process: one in the thread of the session, or each in a thread of its own. */
import { join } from 'node:path'
import type { LocalBus } from '../../bus/index.js'
import type { AgentEnd } from '../../cluster/agent/index.js'
import type { ReadPage } from '../../cluster/agent/lane/index.js'
import type { CrawlConfig } from '../../config/index.js'
import type { Incarnation } from '../../ledger/index.js'
import type { Guest } from '../../page/guest/index.js'
import type { AgentProgress } from '../../report/index.js'
import { indexFolder, type Log } from '../directory/index.js'
import type { HostedAgent, LedgerHost, Platform } from '../platform/index.js'
import type { PageReader, StoreWorker } from '../threads/index.js'
import { ThreadAgentPool } from './thread-agent-pool.js'

export interface AgentPool {
  /** Resolves when all have ended; rejects when the crawl cannot go on. */
  run(): Promise<AgentEnd>
  /** Each agent commits what it has fetched and ends. */
  stop(): void
  /** An empty `detail` says that the disk accepts writes again. */
  setDiskTrouble(detail: string): void
  progress(): readonly AgentProgress[]
  /** An incarnation of this pool that may still write to its files. */
  isAlive(incarnation: Incarnation): boolean
}

export interface AgentPoolParts {
  readonly platform: Platform
  /** The store; null when this machine does not see it. */
  readonly directory: string | null
  /** The token of the crawl, for agents that send their packs to the coordinator. */
  readonly token?: string
  /** Name of the crawl, for file names. */
  readonly crawl: string
  readonly config: CrawlConfig
  /** One name for each agent. */
  readonly names: readonly string[]
  /** For queues and seen-sets. */
  readonly scratch: string
  readonly host: LedgerHost
  readonly bus: LocalBus
  readonly log: Log
  /** Called when the disk refuses a pack, and with null when it accepts one again. */
  readonly onDiskTrouble: (detail: string | null) => void
  /** Takes the pages of all agents; null where nobody reads them. */
  readonly reader: PageReader | null
}

interface SessionAgents extends AgentPoolParts {
  /** For an agent in this thread; other threads open their own. */
  readonly guest: Guest | null
  /** The guest is an object of the caller, not a module. */
  readonly hasOwnGuest: boolean
  readonly worker: StoreWorker
  readonly diskTrouble: string
}

/**
 * Where other processes can end an agent's incarnation, the agent has a thread of its own, which ends with
 * it: nothing of the old incarnation goes on in the new one. A guest that is an object cannot be sent there.
 */
export async function openAgentPool(parts: SessionAgents): Promise<AgentPool> {
  const { config, hasOwnGuest, names, diskTrouble } = parts
  const isShared = config.ledger !== undefined && !hasOwnGuest
  if (names.length === 1 && !isShared) return openLocalAgent(parts)
  await parts.guest?.close()
  const agentPool = new ThreadAgentPool(parts)
  agentPool.setDiskTrouble(diskTrouble)
  return agentPool
}

async function openLocalAgent(parts: SessionAgents): Promise<AgentPool> {
  const { platform, directory, crawl, config, host, bus, worker, log, reader, onDiskTrouble } = parts
  const [agent] = parts.names
  if (config.tables !== 'none' || config.archive !== 'none') worker.start()
  const incarnation = await host.ledger.join(agent, config.lanes)
  const order = {
    directory,
    crawl,
    config,
    agents: 1,
    leaseMs: platform.leaseMs,
    phaseSkewMs: platform.phaseSkewMs(agent),
    agent,
    incarnation,
    sourceAddress: config.sourceAddress[0],
    diskTrouble: parts.diskTrouble,
    scratch: join(parts.scratch, agent),
    indexes: indexFolder(directory, parts.scratch),
  }
  const readPage: ReadPage | null = reader && (page => reader.push(page))
  const rest = {
    ledger: host.ledger,
    bus: bus.join(),
    guest: parts.guest,
    readPage,
    log,
    worker,
    onDiskTrouble,
  }
  return new LocalAgentPool(await platform.openAgent(order, rest), incarnation)
}

class LocalAgentPool implements AgentPool {
  readonly #agent: HostedAgent
  readonly #incarnation: Incarnation
  #isOver = false

  constructor(agent: HostedAgent, incarnation: Incarnation) {
    this.#agent = agent
    this.#incarnation = incarnation
  }

  async run(): Promise<AgentEnd> {
    try {
      return await this.#agent.run()
    } finally {
      this.#isOver = true
    }
  }

  stop(): void {
    this.#agent.stop()
  }

  setDiskTrouble(detail: string): void {
    this.#agent.setDiskTrouble(detail)
  }

  progress(): readonly AgentProgress[] {
    return [this.#agent.progress()]
  }

  isAlive(incarnation: Incarnation): boolean {
    return incarnation === this.#incarnation && !this.#isOver
  }
}
