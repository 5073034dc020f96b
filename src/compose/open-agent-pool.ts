/** Who crawls: one agent in this thread, or several with a thread each. */
import { join } from 'node:path'
import type { LocalBus } from '../bus/index.js'
import type { Hooks } from '../cluster/agent/lane/index.js'
import type { CrawlConfig } from '../config/index.js'
import type { Millis } from '../model/index.js'
import type { DiskGuard } from '../runtime/index.js'
import { type AgentPool, LocalAgentPool } from './agent-pool.js'
import type { Faults } from './faults.js'
import type { LedgerHost } from './ledger-host.js'
import type { Log } from './log.js'
import { type PageReader, withReader } from './run-options.js'
import type { StoreWorker } from './store-worker.js'
import { ThreadAgentPool } from './thread-agent-pool.js'

export interface AgentPoolParts {
  readonly directory: string
  /** Of the crawl, for file names. */
  readonly name: string
  readonly config: CrawlConfig
  readonly leaseMs: Millis
  readonly faults: Faults
  readonly host: LedgerHost
  readonly bus: LocalBus
  readonly hooks: Hooks
  /** The hooks are functions of the caller, not of a module. */
  readonly hasOwnHooks: boolean
  /** Takes the pages of all agents; null where nobody does. */
  readonly reader: PageReader | null
  readonly worker: StoreWorker
  readonly log: Log
  readonly disk: DiskGuard
  /** The disk refused a pack, or (with null) took one. */
  readonly onDisk: (detail: string | null) => void
  /** For queues and seen-sets. */
  readonly scratch: string
}

/**
 * Where others can end an agent's life it has a thread of its own, which ends with it: nothing of the old
 * incarnation goes on in the new one. Hooks that are functions cannot go there.
 */
export async function openAgentPool(parts: AgentPoolParts): Promise<AgentPool> {
  const { agents, ledger } = parts.config
  const isShared = ledger !== undefined && !parts.hasOwnHooks
  return agents > 1 || isShared ? threadAgentPool(parts) : localAgentPool(parts)
}

async function localAgentPool(parts: AgentPoolParts): Promise<AgentPool> {
  const { directory, name, config, leaseMs, host, bus, worker, log, disk, onDisk, scratch, reader } = parts
  const { ledger } = host
  const hooks = withReader(parts.hooks, reader && (page => reader.push(page)))
  const agent = 'agent-1'
  if (config.tables !== 'none' || config.archive !== 'none') worker.start()
  const order = {
    directory,
    crawl: name,
    config,
    agents: config.agents,
    leaseMs,
    agent,
    incarnation: await ledger.join(agent, config.lanes),
    sourceAddress: config.sourceAddress[0],
    diskTrouble: disk.trouble,
    scratch: join(scratch, agent),
  }
  return LocalAgentPool.open(order, { ledger, bus: bus.join(), hooks, log, worker, onDiskTrouble: onDisk })
}

function threadAgentPool(parts: AgentPoolParts): AgentPool {
  const { directory, name, config, leaseMs, faults, host, bus, log, disk, onDisk, scratch, reader } = parts
  const agentPool = new ThreadAgentPool({
    directory,
    crawl: name,
    config,
    agents: config.agents,
    leaseMs,
    dropsNotices: faults.dropsNotices,
    injectedFaults: faults.injectedFaults,
    ledger: host.ledger,
    ledgerHost: host,
    bus,
    log,
    onDiskTrouble: onDisk,
    scratch,
    reader,
  })
  agentPool.setDiskTrouble(disk.trouble)
  if (faults.injectedFaults !== null)
    process.on('SIGUSR2', () => {
      const inject = faults.next()
      if (inject !== null) agentPool.inject(inject)
    })
  return agentPool
}
