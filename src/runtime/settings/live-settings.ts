/**
 * Settings that `orbweaver set` changes while a crawl runs: rows of the ledger, read with every heartbeat.
 */
import type { Agent } from '../../cluster/agent/index.js'
import type { LaneSettings } from '../../cluster/agent/lane/index.js'
import { bytes, ConfigError, type CrawlConfig, checked, readBlacklist } from '../../config/index.js'
import type { Ledger } from '../../ledger/index.js'
import { type Grouping, LIMITS } from '../../model/index.js'
import type { Fetcher } from '../../page/fetch/index.js'
import type { Scope } from '../../page/frontier/scope/index.js'
import { longestDelay, type RateLimit, type Turns } from '../../page/politeness/index.js'

/** Name, check and help of each setting. */
export const LIVE_SETTINGS: Readonly<
  Record<
    string,
    {
      readonly help: string
      readonly check: (value: string) => boolean
      /** Converts the typed value to the stored one, if the two differ. */
      readonly read?: (value: string) => string
    }
  >
> = {
  delay: {
    help: 'milliseconds between requests to a site, or auto',
    check: value => value === 'auto' || isNumber(value, 0),
  },
  maxCrawlDelay: {
    help: 'skip sites whose robots.txt asks for a longer Crawl-delay, in seconds',
    check: value => isNumber(value, 0),
  },
  rate: {
    help: 'requests per second to all sites together; 0: no limit',
    check: value => isNumber(value, 0),
  },
  bandwidth: {
    help: 'body bytes per second in total (500k, 20M); 0: no limit',
    check: value => readBytes(value) !== null,
  },
  connections: { help: 'maximum number of open connections in total', check: value => isNumber(value, 1) },
  connectionsPerSite: {
    help: 'maximum number of open connections to one site',
    check: value => isNumber(value, 1),
  },
  maxPages: {
    help: 'stop after this many pages; empty: no limit',
    check: value => value === '' || isNumber(value, 1),
  },
  blacklist: {
    help: 'hosts and domains never to request, separated by commas, or @FILE',
    check: () => true,
    read: value => readBlacklist(listed(value)).join(','),
  },
  group: {
    help: 'sites that share one politeness turn: domain, ip or none',
    check: isGrouping,
  },
  pause: { help: 'pause the crawl: true or false', check: value => value === 'true' || value === 'false' },
}

/** Checks a value and returns it as it is stored in the ledger. */
export function readLiveSetting(name: string, value: string): string {
  const setting = Object.hasOwn(LIVE_SETTINGS, name) ? LIVE_SETTINGS[name] : undefined
  if (!setting)
    throw new ConfigError(
      `"${name}" cannot be set while a crawl runs; these can: ${Object.keys(LIVE_SETTINGS).join(', ')}`,
    )
  if (!setting.check(value)) throw new ConfigError(`${name} must be ${setting.help}`)
  return checked(() => setting.read?.(value) ?? value)
}

/** The settings that a new crawl writes to the ledger. */
export function initialSettings(config: CrawlConfig): Record<string, string> {
  return {
    delay: String(config.delay),
    maxCrawlDelay: String(config.maxCrawlDelay),
    rate: String(config.rate ?? 0),
    bandwidth: String(config.bandwidth ?? 0),
    connections: String(config.connections),
    connectionsPerSite: String(config.connectionsPerSite),
    maxPages: String(config.maxPages ?? ''),
    blacklist: config.blacklist.join(','),
    group: config.group,
    pause: 'false',
  }
}

export interface SettingTargets {
  readonly lanes: LaneSettings
  readonly fetcher: Fetcher
  readonly rate: RateLimit
  readonly turns: Turns
  readonly scope: Scope
  readonly agent: Pick<Agent, 'reopenAll'>
}

/** Applies the settings of the ledger to the parts of this process. */
export class LiveSettings {
  readonly #targets: SettingTargets
  #last = ''
  userPaused = false

  constructor(targets: SettingTargets) {
    this.#targets = targets
  }

  /** `share` is the part of each limit of the whole crawl that this agent may use. */
  apply(settings: Readonly<Record<string, string>>, share: number): void {
    const key = JSON.stringify([settings, share])
    if (key === this.#last) return
    this.#last = key
    const { lanes, fetcher, rate, scope, turns, agent } = this.#targets
    lanes.delay = settings.delay === 'auto' ? 'auto' : Number(settings.delay)
    lanes.maxCrawlDelayMs = 1000 * Number(settings.maxCrawlDelay ?? LIMITS.crawlDelayMaxMs / 1000)
    lanes.connectionsPerSite = Number(settings.connectionsPerSite)
    const connections = Math.max(1, Math.floor(Number(settings.connections) * share))
    fetcher.setConnections(connections, Number(settings.connectionsPerSite))
    rate.set(Number(settings.rate) * share, (readBytes(settings.bandwidth) ?? 0) * share)
    turns.ease(longestDelay(lanes.delay))
    if (isGrouping(settings.group) && turns.regroup(settings.group)) agent.reopenAll()
    scope.setBlacklist(listed(settings.blacklist))
    this.userPaused = settings.pause === 'true'
  }
}

/** Parses 0 or a size such as `500k`; returns null for any other text. */
function readBytes(value: string): number | null {
  if (isNumber(value, 0)) return Number(value)
  try {
    return bytes(value, '')
  } catch {
    return null
  }
}

function isGrouping(value: string): value is Grouping {
  return value === 'domain' || value === 'ip' || value === 'none'
}

function listed(value: string): string[] {
  return value
    .split(',')
    .map(entry => entry.trim())
    .filter(Boolean)
}

function isNumber(value: string, min: number): boolean {
  return value.trim() !== '' && Number.isFinite(Number(value)) && Number(value) >= min
}

/** A setting for each URL by which a redirect widened the scope: agents do not overwrite each other's. */
const WIDENED = 'scope.widened '

/** Widens the scope for all agents and later runs. */
export async function saveWidened(ledger: Ledger, target: string): Promise<void> {
  await ledger.set({ [`${WIDENED}${target}`]: 'true' })
}

export function widenedScope(settings: Readonly<Record<string, string>>): string[] {
  const own = Object.keys(settings).filter(name => name.startsWith(WIDENED))
  return own.map(name => name.slice(WIDENED.length))
}
