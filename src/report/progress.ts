/** The progress of a running crawl, from counters in memory and the last read of the ledger. */

import type { Agent } from '../cluster/agent/index.js'
import type { LaneSettings } from '../cluster/agent/lane/index.js'
import type { Counters, SiteCrawl } from '../cluster/agent/site/index.js'
import { type CellId, type Millis, siteOfCell } from '../model/index.js'

/** Progress of the whole crawl: all runs, all processes. */
export interface Progress {
  readonly pages: number
  /** Pages acknowledged before this run. */
  readonly earlierPages: number
  /** Pages after which the crawl ends; null without `--max-pages`. */
  readonly maxPages: number | null
  readonly bytes: number
  /** URLs that failed or were refused. */
  readonly errors: number
  readonly queued: number
  readonly sites: number
  readonly activeSites: number
  /** Why nothing is being fetched right now; empty when something is. */
  readonly waiting: string
}

/** Progress of one agent. */
export interface AgentProgress {
  readonly pages: number
  readonly bytes: number
  readonly errors: number
  /** URLs in the queues of held cells. */
  readonly queued: number
  /** Held sites, and those that have a lane. */
  readonly sites: number
  readonly activeSites: number
  readonly inFlight: number
  readonly waiting: string
}

/** Counts of the ledger: everything acknowledged, by all agents. */
export interface LedgerCount {
  readonly pages: number
  readonly bytes: number
  readonly errors: number
  readonly queued: number
  /** Rows in inboxes, part of `queued`. */
  readonly backlog: number
  readonly sites: number
  /** Sites that agents of other processes have a lane for. */
  readonly activeElsewhere: number
}

/** What progress needs besides the agents of this process. */
export interface ProgressSources {
  /** At the start of this process, and at the last read, which is a pack and a heartbeat behind. */
  readonly start: LedgerCount
  readonly latest: LedgerCount
  readonly maxPages: number | null
  /** The trouble of the disk, if any. */
  readonly trouble: string
}

/** What keeps an agent from going faster, besides its sites. */
export interface Throttles {
  readonly settings: LaneSettings
  readonly now: Millis
  /** Requests that wait for `--rate` or `--bandwidth`. */
  readonly rateWaits: number
}

/**
 * Sums up all agents. Agents of this process report pages before they are acknowledged; for other processes
 * and earlier runs, the ledger counts. Each of the two is a lower bound, so the larger one is used.
 */
export function progressOf(agents: readonly AgentProgress[], sources: ProgressSources): Progress {
  const { start, latest, maxPages, trouble } = sources
  const sum = (of: (agent: AgentProgress) => number) => agents.reduce((total, agent) => total + of(agent), 0)
  const done = (of: 'pages' | 'bytes' | 'errors') => Math.max(latest[of], start[of] + sum(agent => agent[of]))
  const sites = latest.sites || sum(agent => agent.sites)
  const hasRunningAgents = agents.some(
    agent => agent.inFlight > 0 || (agent.sites > 0 && agent.waiting === ''),
  )
  const waiting = agents.find(agent => agent.waiting !== '')?.waiting ?? ''
  return {
    pages: done('pages'),
    earlierPages: start.pages,
    maxPages,
    bytes: done('bytes'),
    errors: done('errors'),
    // Only the ledger knows the queues of cells that no agent holds: all of them when a crawl begins or
    // stops.
    queued: Math.max(latest.queued, latest.backlog + sum(agent => agent.queued)),
    sites,
    activeSites: Math.min(sites, latest.activeElsewhere + sum(agent => agent.activeSites)),
    waiting: trouble || (hasRunningAgents ? '' : waiting),
  }
}

export function agentProgress(agent: Agent, counters: Counters, throttles: Throttles): AgentProgress {
  let queued = 0
  const sites = new SiteCount()
  const active = new SiteCount()
  let waiting = 0
  let nearest = Number.POSITIVE_INFINITY
  let next: SiteCrawl | null = null
  let inFlight = 0
  for (const site of agent.sites.values()) {
    queued += site.frontier.size
    inFlight += site.inFlight
    sites.add(site.cell)
    if (site.lane.isHeld) active.add(site.cell)
    const readyAt = site.lane.isIdle ? site.frontier.nextReadyAt() : 0
    if (readyAt === null) continue
    waiting++
    const at = Math.max(readyAt, site.pace.readyAt, site.pace.opensAt(throttles.now))
    if (at < nearest) {
      nearest = at
      next = site
    }
  }
  return {
    pages: counters.pages,
    bytes: counters.bytes,
    errors: counters.errors,
    queued,
    sites: sites.size,
    activeSites: active.size,
    inFlight,
    waiting: inFlight > 0 ? '' : reason(throttles, waiting, next, nearest - throttles.now),
  }
}

/** Counts sites by their cells; a split site has several. */
class SiteCount {
  readonly #split = new Set<string>()
  #whole = 0

  add(cell: CellId): void {
    if (!cell.includes('#')) this.#whole++
    else this.#split.add(siteOfCell(cell))
  }

  get size(): number {
    return this.#whole + this.#split.size
  }
}

function reason(throttles: Throttles, sites: number, next: SiteCrawl | null, waitMs: Millis): string {
  const { settings, rateWaits } = throttles
  if (settings.paused) return 'paused (orbweaver set DIR pause=false goes on)'
  if (rateWaits > 0) return 'the total rate is used up, see --rate and --bandwidth'
  if (next === null || waitMs <= 0) return ''
  const who = sites === 1 ? next.cell : `${sites} sites, next ${next.cell}`
  const isRetry = next.lane.isIdle && (next.frontier.nextReadyAt() ?? 0) > next.pace.readyAt
  const why = isRetry ? 'a failed URL is requested again' : next.pace.reason(settings.delay, throttles.now)
  return `${who} in ${(waitMs / 1000).toFixed(1)} s: ${why}`
}
