/**
 * Checks P5 by the observed requests: one agent at a time requests a group of sites, with the delay between
 * two requests to the group and the Crawl-delay between two pages of a site.
 */

import { type GroupId, groupOf, type Millis } from '../../model/index.js'
import { hostOf, type Site } from '../../model/url/index.js'
import { TRAFFIC_CHECKER_ROUNDING_MS } from '../limits.js'
import type { Machine, VirtualTime } from '../machines/index.js'
import type { Web } from '../ports/index.js'

/** The requests in flight and the last request of one group. */
interface GroupTraffic {
  readonly group: GroupId
  open: number
  machine: Requester | null
  lastEnd: Millis
  /** The robots.txt of the last request; empty after any other request. */
  robotsOf: string
}

export interface TrafficParts {
  readonly web: Pick<Web, 'siteOf' | 'crawlDelayMs'>
  readonly delayMs: Millis
  readonly time: Pick<VirtualTime, 'now'>
}

/** The machine that sends a request, or its stand-in. */
export type Requester = Pick<Machine, 'name'>

/** Groups are forgotten only when there are more sites than this. */
const LEAST_SWEEP = 10_000

export class TrafficChecker {
  readonly #parts: TrafficParts
  readonly #break: (what: string, about: readonly string[]) => void
  readonly #traffic = new Map<GroupId, GroupTraffic>()
  readonly #trafficOf = new Map<Site, GroupTraffic>()
  /** The number of sites at which groups without traffic are forgotten. */
  #sweepAt = LEAST_SWEEP
  /** Sites with a request in flight. */
  readonly #openSites = new Set<Site>()
  readonly #lastPageEnd = new Map<Site, Millis>()

  constructor(parts: TrafficParts, onBreak: (what: string, about: readonly string[]) => void) {
    this.#parts = parts
    this.#break = onBreak
  }

  began(machine: Requester, site: Site, url: string, isRobots: boolean): void {
    this.#checkTurn(machine, this.#trafficAt(site), site, url, isRobots)
    this.#openSites.add(site)
    if (!isRobots) this.#checkCrawlDelay(site, url)
  }

  /** The request was answered, or its connection is closed. */
  ended(site: Site, isRobots: boolean): void {
    const { now } = this.#parts.time
    const traffic = this.#trafficAt(site)
    traffic.open--
    traffic.lastEnd = now
    this.#openSites.delete(site)
    if (!isRobots && this.#crawlDelayMs(site) > 0) this.#lastPageEnd.set(site, now)
  }

  #trafficAt(site: Site): GroupTraffic {
    const known = this.#trafficOf.get(site)
    if (known) return known
    if (this.#trafficOf.size >= this.#sweepAt) this.#sweep()
    const group = groupOf(site, 'domain')
    const traffic = this.#traffic.get(group) ?? {
      group,
      open: 0,
      machine: null,
      lastEnd: Number.NEGATIVE_INFINITY,
      robotsOf: '',
    }
    this.#traffic.set(group, traffic)
    this.#trafficOf.set(site, traffic)
    return traffic
  }

  /** Forgets groups whose delay is over and which have nothing in flight: their next request is allowed. */
  #sweep(): void {
    const { time, delayMs } = this.#parts
    for (const [site, { group, open, lastEnd }] of this.#trafficOf) {
      if (open > 0 || time.now - lastEnd < delayMs) continue
      this.#trafficOf.delete(site)
      this.#traffic.delete(group)
    }
    this.#sweepAt = 2 * this.#trafficOf.size + LEAST_SWEEP
  }

  #checkTurn(machine: Requester, traffic: GroupTraffic, site: Site, url: string, isRobots: boolean): void {
    const { group } = traffic
    const { time, delayMs } = this.#parts
    const sameProcedure = isRobots && traffic.robotsOf === url && traffic.machine === machine
    const sinceMs = time.now - traffic.lastEnd
    if (traffic.open > 0 && traffic.machine !== machine)
      this.#break(`${machine.name} requests ${url} while ${traffic.machine?.name} is at ${group}`, [group])
    // Without a delay the sites of a group need no turn; one site still has one connection.
    else if (traffic.open > 0 && (delayMs > 0 || this.#openSites.has(site)))
      this.#break(`two requests of ${machine.name} to ${group} at once`, [group])
    else if (!sameProcedure && sinceMs < delayMs - TRAFFIC_CHECKER_ROUNDING_MS)
      this.#break(`${url} is requested ${round(sinceMs)} ms after the last request to ${group}`, [group])
    traffic.open++
    traffic.machine = machine
    traffic.robotsOf = isRobots ? url : ''
  }

  #checkCrawlDelay(site: Site, url: string): void {
    const delayMs = this.#crawlDelayMs(site)
    if (delayMs === 0) return
    const sinceMs = this.#parts.time.now - (this.#lastPageEnd.get(site) ?? Number.NEGATIVE_INFINITY)
    if (sinceMs >= delayMs - TRAFFIC_CHECKER_ROUNDING_MS) return
    const what = `${url} is requested ${round(sinceMs)} ms after the last page, its Crawl-delay is ${delayMs} ms`
    this.#break(what, [site])
  }

  #crawlDelayMs(site: Site): Millis {
    const { web } = this.#parts
    return web.crawlDelayMs(web.siteOf(hostOf(site)))
  }
}

function round(ms: Millis): number {
  return Math.round(ms * 1_000) / 1_000
}
