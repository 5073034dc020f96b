/** One agent of this machine, in whatever thread it runs: its implementations, its settings, its files. */
import { tmpdir } from 'node:os'
import { type AgentEnd, type AgentInput, type AssembledAgent, assembleAgent } from '../cluster/agent/index.js'
import {
  type Channel,
  channelTo,
  journalsOver,
  RemotePackStore,
  routingOver,
} from '../cluster/transfer/index.js'
import { ConfigError, type CrawlConfig, isLearned } from '../config/index.js'
import { type Heartbeat, LedgerClock } from '../ledger/index.js'
import { loadZstd } from '../model/bytes/index.js'
import { type Clock, LIMITS } from '../model/index.js'
import { compilePattern } from '../model/url/index.js'
import { FrontierSpace } from '../page/frontier/index.js'
import { Scope } from '../page/frontier/scope/index.js'
import { readPlan } from '../page/politeness/phases/index.js'
import type { RoutingTable } from '../plan/assign/learned/index.js'
import { type AgentProgress, agentProgress } from '../report/index.js'
import { Monitor, machineGauges } from '../runtime/machine/index.js'
import type { AgentOrder, AgentParts, HostedAgent } from '../runtime/platform/index.js'
import { decodeTable, readTable } from '../runtime/routing/index.js'
import { knownHosts, LiveSettings, saveWidened, widenedScope } from '../runtime/settings/index.js'
import { openEnvoys } from './open-envoys.js'
import { openFetcher } from './open-fetcher.js'
import { openDirectoryStore, packing } from './open-store.js'
import { systemClock } from './system-clock.js'
import { systemRandom as random } from './system-random.js'

interface HostParts extends AgentParts {
  /** The ledger's clock if the ledger is on another machine. */
  readonly clock?: Clock
  /** The channel to the coordinator if this machine does not see the store. */
  readonly channel?: Channel
}

export class AgentHost implements HostedAgent {
  readonly #parts: HostParts
  readonly #agentPool: AssembledAgent
  readonly #live: LiveSettings
  readonly #scope: Scope
  #diskTrouble: string

  static async open(order: AgentOrder, parts: AgentParts): Promise<AgentHost> {
    const { archive, source } = order.config
    if (archive.startsWith('zstd') || source.some(text => text.includes('=warc:'))) await loadZstd()
    const settings = await parts.ledger.settings()
    const hosts = await knownHosts(parts.ledger)
    return new AgentHost(order, withChannel(order, await inLedgerTime(order, parts)), settings, hosts)
  }

  private constructor(
    order: AgentOrder,
    parts: HostParts,
    settings: Readonly<Record<string, string>>,
    hosts: AgentInput['hosts'],
  ) {
    const { config, directory, agent, agents, incarnation, leaseMs, scratch } = order
    const { ledger, log, clock = systemClock } = parts
    this.#parts = parts
    this.#diskTrouble = order.diskTrouble
    this.#scope = scopeOf(config, settings)
    const plan = readPlan(settings)
    const phases = plan && { plan, wall: systemClock.now, skewMs: order.phaseSkewMs }
    const monitor = new Monitor({
      lanes: config.lanes,
      clock,
      gauges: machineGauges(directory ?? tmpdir()),
      receivedBytes: () => this.#agentPool.counters.bytes,
      allowedBytes: () => this.#agentPool.rate.bytesPerSecond,
    })
    this.#agentPool = assembleAgent({
      ...openStore(order, parts),
      name: agent,
      incarnation,
      config,
      clock,
      random,
      ledger,
      phases,
      loadRoutes: isLearned(config.assign) ? () => loadRoutes(order, parts) : null,
      bus: parts.bus,
      leaseMs,
      fetcher: openFetcher(config, {
        sourceAddress: order.sourceAddress,
        outboxMs: phases?.plan.drainMs,
        indexes: order.indexes,
      }),
      space: new FrontierSpace({
        folder: scratch,
        seenBytes: LIMITS.seenBytes / agents,
        queueBytes: LIMITS.queueBytes / agents,
        salt: Math.floor(random.next() * 2 ** 32),
      }),
      scope: this.#scope,
      guest: parts.guest,
      readPage: parts.readPage,
      newEnvoys: openEnvoys(config, {
        clock,
        random,
        ledger,
        log: (event, fields) => log.info(event, fields),
      }),
      hosts,
      recrawl: config.previous !== undefined,
      capacity: () =>
        // A single agent does not reduce its load, because no other agent could take the sites.
        agents > 1 ? monitor.capacity() : { lanes: config.lanes, capacity: 1, load: monitor.load() },
      log: (event, fields) => log.warn(event, fields),
      onScopeWidened: target => {
        log.info('a seed redirects; its target joins the scope', { target })
        void saveWidened(ledger, target)
      },
      onDiskTrouble: parts.onDiskTrouble,
      waitingFor: () => this.#diskTrouble || this.progress().waiting,
      onHeartbeat: beat => this.#onHeartbeat(beat),
    })
    const { settings: lanes, fetcher, rate, turns } = this.#agentPool
    this.#live = new LiveSettings({
      lanes,
      fetcher,
      rate,
      turns,
      scope: this.#scope,
      agent: this.#agentPool.agent,
    })
    this.#live.apply(settings, 1 / agents)
    this.#applyPause()
  }

  /** Crawls to the end; then closes the files and logs problems with them. */
  async run(): Promise<AgentEnd> {
    const { agent, store, fetcher, space } = this.#agentPool
    try {
      const end = await agent.run()
      const { problems } = await store.close()
      for (const problem of problems) this.#parts.log.warn(problem)
      return end
    } catch (error) {
      await store.abandon().catch(() => {})
      throw error
    } finally {
      await fetcher.close()
      space.close()
    }
  }

  stop(): void {
    this.#agentPool.agent.stop()
  }

  setDiskTrouble(detail: string): void {
    this.#diskTrouble = detail
    this.#applyPause()
  }

  progress(): AgentProgress {
    const { agent, counters, settings, rate } = this.#agentPool
    const { clock = systemClock } = this.#parts
    return agentProgress(agent, counters, { settings, now: clock.now(), rateWaits: rate.waiting })
  }

  #onHeartbeat(beat: Heartbeat): void {
    this.#live.apply(beat.settings, beat.share)
    for (const target of widenedScope(beat.settings))
      if (!this.#scope.accepts(target)) this.#scope.widenTo(target)
    this.#applyPause()
  }

  #applyPause(): void {
    this.#agentPool.settings.paused = this.#live.userPaused || this.#diskTrouble !== ''
  }
}

/**
 * A database has the clock of its own machine. The first heartbeat sets the agent's clock by it, and later
 * calls keep it set.
 */
async function inLedgerTime(order: AgentOrder, parts: AgentParts): Promise<HostParts> {
  if (order.config.ledger === undefined) return parts
  const clock = new LedgerClock(systemClock)
  const ledger = clock.setBy(parts.ledger)
  await ledger.heartbeat(order.incarnation, order.leaseMs, '{}')
  return { ...parts, ledger, clock }
}

/** An agent that does not see the store also reads journals from the coordinator. */
function withChannel({ directory, token = '' }: AgentOrder, parts: HostParts): HostParts {
  if (directory !== null) return parts
  const channel = channelTo(parts.ledger, token)
  return { ...parts, channel, ledger: journalsOver(parts.ledger, channel) }
}

/** Opens the store in the directory, or at the coordinator if this machine does not see the directory. */
function openStore(
  order: AgentOrder,
  { worker, channel }: HostParts,
): Pick<AgentInput, 'store' | 'newBuilder' | 'archives'> {
  const { config, directory, crawl, incarnation, agent } = order
  const store =
    directory === null
      ? new RemotePackStore({ incarnation: incarnation, channel: channel!, clock: systemClock })
      : openDirectoryStore({ directory, crawl, config, incarnation, worker })
  return { store, ...packing(config, agent) }
}

/**
 * Loads the table from the crawl directory, or from the coordinator if this machine does not see the
 * directory.
 */
async function loadRoutes(
  { directory, config }: AgentOrder,
  { channel }: HostParts,
): Promise<RoutingTable | null> {
  if (directory !== null) return readTable(directory, config)
  const bytes = await routingOver(channel!)
  return bytes === null ? null : decodeTable(bytes, config)
}

function scopeOf(config: CrawlConfig, settings: Readonly<Record<string, string>>): Scope {
  return new Scope({
    seeds: [...config.seeds, ...widenedScope(settings)],
    kind: config.scope,
    include: patternsOf(config.include),
    exclude: patternsOf(config.exclude),
  })
}

function patternsOf(sources: readonly string[]): RegExp[] {
  return sources.map(source => {
    const pattern = compilePattern(source)
    if (typeof pattern === 'string') throw new ConfigError(pattern)
    return pattern
  })
}
