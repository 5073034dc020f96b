/** What can be told about a running crawl without asking the ledger. */
import type { Clock } from '../model/clock.js'
import type { Agent } from './agent.js'
import type { Counters } from './counters.js'
import type { LaneSettings } from './lane.js'

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

export function progressOf(
  agent: Agent,
  counters: Counters,
  baseline: Baseline,
  settings: LaneSettings,
  clock: Clock,
  trouble: string,
): Progress {
  let queued = baseline.backlog
  let active = 0
  let nearest = Number.POSITIVE_INFINITY
  let nearestSite = ''
  let inFlight = 0
  for (const site of agent.sites.values()) {
    queued += site.frontier.size
    inFlight += site.inFlight
    if (site.idle) continue
    active++
    if (site.pace.nextAllowed < nearest) {
      nearest = site.pace.nextAllowed
      nearestSite = site.cell
    }
  }
  return {
    pages: baseline.pages + counters.pages,
    bytes: baseline.bytes + counters.bytes,
    errors: baseline.errors + counters.errors,
    queued,
    sites: Math.max(baseline.sites, agent.sites.size),
    activeSites: active,
    waiting: trouble || (inFlight > 0 ? '' : reason(settings, active, nearestSite, nearest - clock.now())),
  }
}

function reason(settings: LaneSettings, active: number, site: string, waitMs: number): string {
  if (settings.paused) return 'paused (orbweaver set DIR pause=false goes on)'
  if (active === 0 || waitMs <= 0) return ''
  const who = active === 1 ? site : `${active} sites, next ${site}`
  if (settings.delay === 'auto') return `${who} in ${seconds(waitMs)}: its own pace, see --delay`
  return `${who} in ${seconds(waitMs)}: one request every ${seconds(settings.delay)} for a site, --delay`
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
