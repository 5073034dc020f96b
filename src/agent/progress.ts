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

/** Counted by the ledger at the last look, for what other runs of this crawl did. */
export interface Baseline {
  readonly pages: number
  readonly bytes: number
  readonly errors: number
  readonly sites: number
  /** Inbox rows of cells that are not leased. */
  readonly backlog: number
}

/** What keeps a crawl from going faster, besides its sites. */
export interface Brakes {
  readonly settings: LaneSettings
  readonly now: Millis
  /** Of the disk. */
  readonly trouble: string
  /** Requests that wait for `--rate` or `--bandwidth`. */
  readonly rateWaits: number
}

export function progressOf(agent: Agent, counters: Counters, baseline: Baseline, brakes: Brakes): Progress {
  let queued = baseline.backlog
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
    const at = Math.max(readyAt, site.pace.readyAt)
    if (at < nearest) {
      nearest = at
      next = site
    }
  }
  return {
    pages: baseline.pages + counters.pages,
    bytes: baseline.bytes + counters.bytes,
    errors: baseline.errors + counters.errors,
    queued,
    sites: Math.max(baseline.sites, agent.sites.size),
    activeSites: active,
    waiting: brakes.trouble || (inFlight > 0 ? '' : reason(brakes, waiting, next, nearest - brakes.now)),
  }
}

function reason(brakes: Brakes, sites: number, next: SiteCrawl | null, waitMs: Millis): string {
  const { settings, rateWaits } = brakes
  if (settings.paused) return 'paused (orbweaver set DIR pause=false goes on)'
  if (rateWaits > 0) return 'the total rate is used up, see --rate and --bandwidth'
  if (next === null || waitMs <= 0) return ''
  const who = sites === 1 ? next.cell : `${sites} sites, next ${next.cell}`
  const isRetry = next.idle && (next.frontier.nextReadyAt() ?? 0) > next.pace.readyAt
  const why = isRetry ? 'a URL that failed is tried again' : next.pace.reason(settings.delay)
  return `${who} in ${seconds(waitMs)}: ${why}`
}

function seconds(ms: Millis): string {
  return `${(ms / 1000).toFixed(1)} s`
}
