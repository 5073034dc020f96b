/** What can be told about a running crawl without asking the ledger. */
import type { Millis } from '../model/clock.js'
import type { Agent } from './agent.js'
import type { Counters } from './counters.js'
import type { LaneSettings } from './lane.js'
import type { SiteCrawl } from './site-crawl.js'

export interface Progress {
  readonly pages: number
  readonly bytes: number
  readonly errors: number
  readonly queued: number
  readonly sites: number
  readonly activeSites: number
  /** Why nothing is being fetched right now; empty when something is. */
  readonly waiting: string
}

/** What one agent tells of itself. */
export interface AgentProgress {
  readonly pages: number
  readonly bytes: number
  readonly errors: number
  readonly queued: number
  /** Cells in hand. */
  readonly sites: number
  readonly activeSites: number
  readonly inFlight: number
  readonly waiting: string
}

/** Counted by the ledger at the last look, for what other runs of this crawl did. */
export interface Baseline {
  readonly pages: number
  readonly bytes: number
  readonly errors: number
  readonly sites: number
  /** Inbox rows of cells that are not leased. */
  readonly backlog: number
}

/** What keeps an agent from going faster, besides its sites. */
export interface Brakes {
  readonly settings: LaneSettings
  readonly now: Millis
  /** Requests that wait for `--rate` or `--bandwidth`. */
  readonly rateWaits: number
}

/** All agents together; `trouble` is of the disk. */
export function progressOf(agents: readonly AgentProgress[], baseline: Baseline, trouble: string): Progress {
  const sum = (of: (agent: AgentProgress) => number) => agents.reduce((total, agent) => total + of(agent), 0)
  const isAtWork = agents.some(agent => agent.inFlight > 0 || (agent.sites > 0 && agent.waiting === ''))
  const waiting = agents.find(agent => agent.waiting !== '')?.waiting ?? ''
  return {
    pages: baseline.pages + sum(agent => agent.pages),
    bytes: baseline.bytes + sum(agent => agent.bytes),
    errors: baseline.errors + sum(agent => agent.errors),
    queued: baseline.backlog + sum(agent => agent.queued),
    sites: Math.max(
      baseline.sites,
      sum(agent => agent.sites),
    ),
    activeSites: sum(agent => agent.activeSites),
    waiting: trouble || (isAtWork ? '' : waiting),
  }
}

export function agentProgress(agent: Agent, counters: Counters, brakes: Brakes): AgentProgress {
  let queued = 0
  let active = 0
  let waiting = 0
  let nearest = Number.POSITIVE_INFINITY
  let next: SiteCrawl | null = null
  let inFlight = 0
  for (const site of agent.sites.values()) {
    queued += site.frontier.size
    inFlight += site.inFlight
    if (site.hasLane) active++
    const readyAt = site.idle ? site.frontier.nextReadyAt() : 0
    if (readyAt === null) continue
    waiting++
    const at = Math.max(readyAt, site.pace.readyAt, site.pace.opensAt(brakes.now))
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
    sites: agent.sites.size,
    activeSites: active,
    inFlight,
    waiting: inFlight > 0 ? '' : reason(brakes, waiting, next, nearest - brakes.now),
  }
}

function reason(brakes: Brakes, sites: number, next: SiteCrawl | null, waitMs: Millis): string {
  const { settings, rateWaits } = brakes
  if (settings.paused) return 'paused (orbweaver set DIR pause=false goes on)'
  if (rateWaits > 0) return 'the total rate is used up, see --rate and --bandwidth'
  if (next === null || waitMs <= 0) return ''
  const who = sites === 1 ? next.cell : `${sites} sites, next ${next.cell}`
  const isRetry = next.idle && (next.frontier.nextReadyAt() ?? 0) > next.pace.readyAt
  const why = isRetry ? 'a URL that failed is tried again' : next.pace.reason(settings.delay, brakes.now)
  return `${who} in ${seconds(waitMs)}: ${why}`
}

function seconds(ms: Millis): string {
  return `${(ms / 1000).toFixed(1)} s`
}
