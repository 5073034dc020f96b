/** Picks the implementations for one agent of this machine: its fetcher, its files, its memory. */
import { join } from 'node:path'
import {
  type AgentInput,
  type AssembledAgent,
  assembleAgent,
  type Hooks,
  PRODUCT_TOKEN,
} from '../agent/index.js'
import { chooseAssignment } from '../assign/index.js'
import type { Heartbeat, Incarnation, Ledger } from '../cluster/index.js'
import { ConfigError, type CrawlConfig } from '../config/index.js'
import {
  CachingResolver,
  type Fetcher,
  HttpFetcher,
  type HttpFetcherOptions,
  StaticHosts,
} from '../fetch/index.js'
import { FrontierSpace, type HostNames, type Scope } from '../frontier/index.js'
import { LIMITS } from '../model/limits.js'
import { VERSION } from '../model/version.js'
import { DirectoryPackStore, PackBuilder, parseArchiveFormat, warcInfo, warcRecords } from '../store/index.js'
import type { DiskGuard } from './disk-guard.js'
import type { Log } from './log.js'
import type { StoreWorker } from './store-worker.js'
import { systemClock as clock, systemRandom as random } from './system.js'

const AGENT_NAME = 'agent-1'

export interface CrewInput {
  readonly directory: string
  readonly name: string
  readonly config: CrawlConfig
  readonly hooks: Hooks
  readonly ledger: Ledger
  readonly incarnation: Incarnation
  readonly scope: Scope
  readonly disk: DiskGuard
  readonly worker: StoreWorker
  readonly log: Log
  /** There is meta-info of a previous crawl in the ledger. */
  readonly recrawl: boolean
  /** The hosts that the crawl knows. */
  readonly hosts: HostNames
  /** Why nothing is being fetched. */
  readonly waitingFor: () => string
  readonly onHeartbeat: (beat: Heartbeat) => void
}

export type Crew = AssembledAgent

function userAgentOf(config: CrawlConfig): string {
  return config.userAgent ?? `${PRODUCT_TOKEN}/${VERSION}${config.contact ? ` (+${config.contact})` : ''}`
}

export function openFetcher(config: CrawlConfig): Fetcher {
  const hosts = StaticHosts.parse(config.resolve)
  if (typeof hosts === 'string') throw new ConfigError(`--resolve: ${hosts}`)
  return new HttpFetcher({
    clock,
    resolver: new CachingResolver({
      clock,
      hosts,
      ...(config.dns === undefined ? {} : { server: config.dns }),
    }),
    userAgent: userAgentOf(config),
    connections: config.connections,
    connectionsPerSite: config.connectionsPerSite,
    allowPrivate: config.allowPrivate,
    allowNetworks: config.allowNetwork,
    limits: deadlines(config),
  })
}

/** A user in a hurry is in a hurry at every step of a fetch. */
function deadlines(config: CrawlConfig): NonNullable<HttpFetcherOptions['limits']> {
  const fetchMs = config.fetchTimeout * 1_000
  return {
    fetchMs,
    headersMs: Math.min(LIMITS.headersMs, fetchMs),
    connectMs: Math.min(LIMITS.connectMs, fetchMs),
    bodyBytes: config.maxBody,
  }
}

export function assembleCrew(input: CrewInput): Crew {
  const { config, ledger, directory, log } = input
  return assembleAgent({
    ...openStore(input),
    name: AGENT_NAME,
    incarnation: input.incarnation,
    config,
    clock,
    random,
    ledger,
    assignment: chooseAssignment(config.assign, random),
    fetcher: openFetcher(config),
    space: new FrontierSpace({
      folder: join(directory, 'frontier'),
      seenBytes: LIMITS.seenBytes,
      queueBytes: LIMITS.queueBytes,
      salt: Math.floor(random.next() * 2 ** 32),
    }),
    scope: input.scope,
    hooks: input.hooks,
    hosts: input.hosts,
    recrawl: input.recrawl,
    log: (event, fields) => log.warn(event, fields),
    onScopeWidened: target => widen(ledger, target, log),
    onDiskTrouble: detail => input.disk.refused(detail),
    waitingFor: input.waitingFor,
    onHeartbeat: input.onHeartbeat,
  })
}

function openStore(input: CrewInput): Pick<AgentInput, 'store' | 'newBuilder' | 'archives'> {
  const { config, directory, name, incarnation, worker } = input
  const choice = parseArchiveFormat(config.archive)
  if (!choice.ok) throw new ConfigError(choice.message)
  const records = warcRecords(choice.format, random)
  const store = new DirectoryPackStore({
    directory,
    owner: { crawl: name, incarnation },
    clock,
    records,
    info: warcInfo({
      software: `orbweaver/${VERSION}`,
      robots: config.robots,
      userAgent: userAgentOf(config),
      extra: { isPartOf: name },
    }),
    sortIndex: task => worker.sortIndex(task),
  })
  const options = { agent: AGENT_NAME, records, tables: config.tables !== 'none' }
  return { store, newBuilder: () => new PackBuilder(options), archives: records !== null }
}

/** Scope that was widened by a redirect outlives the process. */
function widen(ledger: Ledger, target: string, log: Log): void {
  log.info('a seed redirects; its target joins the scope', { target })
  void ledger.settings().then(settings => {
    const known = widenedScope(settings)
    return ledger.set({ 'scope.widened': JSON.stringify([...known, target]) })
  })
}

export function widenedScope(settings: Readonly<Record<string, string>>): string[] {
  return settings['scope.widened'] === undefined ? [] : (JSON.parse(settings['scope.widened']) as string[])
}
