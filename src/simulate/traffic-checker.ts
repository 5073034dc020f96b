/**
 * P5, from what is seen on the wire: one agent at a time at a group of sites, the delay between two of its
 * requests, and between two pages of a site what its Crawl-delay says.
 */

import { type GroupId, groupOf, type Millis } from '../model/index.js'
import { hostOf, type Site } from '../model/url/index.js'
import type { Machine } from './machine.js'
import type { VirtualTime } from './virtual-time.js'
import type { Web } from './virtual-web.js'

/** What is under way, and what was last, in one group of sites. */
interface GroupTraffic {
  readonly group: GroupId
  open: number
  machine: Asker | null
  lastEnd: Millis
  /** The robots.txt that was asked for last, while nothing else was. */
  robotsOf: string
}

export interface TrafficParts {
  readonly web: Pick<Web, 'siteOf' | 'crawlDelayMs'>
  readonly delayMs: Millis
  readonly time: Pick<VirtualTime, 'now'>
}

/** Who asks: a machine, or whoever takes its place. */
export type Asker = Pick<Machine, 'name'>

/** Sites whose requests are remembered, at least. */
const LEAST_SWEEP = 10_000
/** Times are sums of fractions. */
const ROUNDING_MS = 0.001

export class TrafficChecker {
  readonly #parts: TrafficParts
  readonly #break: (what: string, about: readonly string[]) => void
  readonly #traffic = new Map<GroupId, GroupTraffic>()
  readonly #trafficOf = new Map<Site, GroupTraffic>()
  /** So many sites, and the quiet ones are forgotten. */
  #sweepAt = LEAST_SWEEP
  /** With a request under way. */
  readonly #openSites = new Set<Site>()
  readonly #lastPageEnd = new Map<Site, Millis>()

  constructor(parts: TrafficParts, onBreak: (what: string, about: readonly string[]) => void) {
    this.#parts = parts
    this.#break = onBreak
  }

  /** A request goes out. */
  began(machine: Asker, site: Site, url: string, isRobots: boolean): void {
    this.#politely(machine, this.#trafficAt(site), site, url, isRobots)
    this.#openSites.add(site)
    if (!isRobots) this.#slowly(site, url)
  }

  /** Its answer is here, or never will be. */
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

  /**
   * Where nothing is under way and the delay is over, whatever comes next is right: what was need not be
   * known.
   */
  #sweep(): void {
    const { time, delayMs } = this.#parts
    for (const [site, { group, open, lastEnd }] of this.#trafficOf) {
      if (open > 0 || time.now - lastEnd < delayMs) continue
      this.#trafficOf.delete(site)
      this.#traffic.delete(group)
    }
    this.#sweepAt = 2 * this.#trafficOf.size + LEAST_SWEEP
  }

  #politely(machine: Asker, traffic: GroupTraffic, site: Site, url: string, isRobots: boolean): void {
    const { group } = traffic
    const { time, delayMs } = this.#parts
    const sameProcedure = isRobots && traffic.robotsOf === url && traffic.machine === machine
    const sinceMs = time.now - traffic.lastEnd
    if (traffic.open > 0 && traffic.machine !== machine)
      this.#break(`${machine.name} requests ${url} while ${traffic.machine?.name} requests ${group}`, [group])
    // Without a delay the sites of a group have no turns to wait for; one site still has one connection.
    else if (traffic.open > 0 && (delayMs > 0 || this.#openSites.has(site)))
      this.#break(`two requests of ${machine.name} to ${group} at once`, [group])
    else if (!sameProcedure && sinceMs < delayMs - ROUNDING_MS)
      this.#break(`${url} is requested ${round(sinceMs)} ms after the last request to ${group}`, [group])
    traffic.open++
    traffic.machine = machine
    traffic.robotsOf = isRobots ? url : ''
  }

  #slowly(site: Site, url: string): void {
    const delayMs = this.#crawlDelayMs(site)
    if (delayMs === 0) return
    const sinceMs = this.#parts.time.now - (this.#lastPageEnd.get(site) ?? Number.NEGATIVE_INFINITY)
    if (sinceMs >= delayMs - ROUNDING_MS) return
    const what = `${url} is requested ${round(sinceMs)} ms after the last page; its Crawl-delay is ${delayMs} ms`
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
