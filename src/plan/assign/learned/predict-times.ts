/**
 * Predicts how long the rest of a crawl takes for a given placement of its sites, with the formulas of the
 * SIRE paper: download time, exchange time and relocation time. Values that nobody measured
 * are assumed to be as small as possible:
 * - A site without pages has pages like the others.
 * - The time from an agent to a site is that to the site's address, else to its block, else the mean of the
 *   others.
 * - Bandwidth is unlimited, and two agents are at no distance.
 */

import { LIMITS, type Millis, siteOfCell } from '../../../model/index.js'
import { PREDICT_TIMES_MESSAGE_BYTES } from '../../limits.js'
import { connectTimes } from './graph-objectives.js'
import type { LearnedWeb } from './learned-web.js'

/** The rest of a site or of a piece of a split site, and its agent. */
export interface SiteLeft {
  /** For a piece, the name of its cell. */
  readonly site: string
  /** Numbers of waiting URLs, and of all known URLs, which an agent that takes the site over has to read. */
  readonly queued: number
  readonly known: number
  /** Index in `agents` of the agent that the site is meant for; -1 if there is none or it is absent. */
  readonly part: number
  /** Index of the agent that holds its lease; -1 if there is none. */
  readonly heldBy: number
  /** The holder took the site because it had a free lane (`hybrid`); the site need not go back. */
  readonly isTakenOver: boolean
}

/** The present agent of the site; -1 if it has none. */
export function placeOf({ part, heldBy, isTakenOver }: SiteLeft): number {
  return heldBy >= 0 && !isTakenOver ? heldBy : part
}

/** An agent among which sites are placed. */
export interface PlacedAgent {
  readonly name: string
  readonly share: number
  readonly lanes: number
  /** Its bandwidth; absent if unknown. */
  readonly bytesPerSecond?: number | undefined
  /** Its measurements of the other agents, by name. */
  readonly peers?: Readonly<Record<string, { readonly rttMs: Millis; readonly bytesPerSecond: number }>>
}

/** The times until the busiest agents have fetched their pages and sent their links. */
export interface Prediction {
  readonly downloadMs: Millis
  readonly exchangeMs: Millis
  readonly messages: number
}

interface Work {
  totalMs: Millis
  longestMs: Millis
  bytes: number
  /** To each agent. */
  readonly messages: number[]
}

interface Inputs {
  readonly web: LearnedWeb
  readonly left: readonly SiteLeft[]
  /** For each net, the expected number of waiting pages with its links. */
  readonly netPages: Float64Array
  readonly agents: readonly PlacedAgent[]
  readonly delayMs: Millis
}

export class PredictedTimes {
  readonly #inputs: Inputs
  readonly #connectMs: (v: number, agent: number) => Millis | undefined
  /** Means per page over all sites. */
  readonly #usual: { readonly fetchMs: Millis; readonly bytes: number }

  constructor(inputs: Inputs) {
    this.#inputs = inputs
    const { web, agents } = inputs
    const names = agents.map(({ name }) => name)
    this.#connectMs = connectTimes(web.sites, names)
    const sum = (of: (site: LearnedWeb['sites'][number]) => number) =>
      web.sites.reduce((total, site) => total + of(site), 0)
    const pages = Math.max(
      1,
      sum(site => site.pages),
    )
    this.#usual = { fetchMs: sum(site => site.fetchMs) / pages, bytes: sum(site => site.bytes) / pages }
  }

  /** The prediction if each site is in its part of `parts`. */
  of(parts: Int32Array): Prediction {
    const work = this.#inputs.agents.map((): Work => {
      return { totalMs: 0, longestMs: 0, bytes: 0, messages: this.#inputs.agents.map(() => 0) }
    })
    const leftMs = this.#inputs.left.map((_, v) => this.siteMs(v, parts[v]))
    const turnMs = this.#turnMs(leftMs)
    for (const [v, { queued }] of this.#inputs.left.entries()) {
      const own = work[parts[v]]
      own.totalMs += leftMs[v]
      if (queued > 0)
        own.longestMs = Math.max(own.longestMs, turnMs.get(siteOfCell(this.#inputs.web.sites[v].site))!)
      own.bytes += queued * this.#pageBytes(v)
    }
    this.#countMessages(work, parts)
    const download = work.map((own, j) => this.#downloadMs(own, this.#inputs.agents[j]))
    const exchange = work.map((own, j) => this.#exchangeMs(own, j, download[j]))
    const messages = work.reduce((all, own) => all + own.messages.reduce((sum, count) => sum + count, 0), 0)
    return { downloadMs: Math.max(...download), exchangeMs: Math.max(...exchange), messages }
  }

  /** The time of each site. The pieces of a split site share one turn, so their times add up. */
  #turnMs(leftMs: readonly Millis[]): ReadonlyMap<string, Millis> {
    const turnMs = new Map<string, Millis>()
    for (const [v, ms] of leftMs.entries()) {
      const site = siteOfCell(this.#inputs.web.sites[v].site)
      turnMs.set(site, (turnMs.get(site) ?? 0) + ms)
    }
    return turnMs
  }

  /** The time to fetch the rest of a site, one request at a time. */
  siteMs(v: number, agent: number): Millis {
    const { pages, fetchMs, connectMs } = this.#inputs.web.sites[v]
    const pageMs = pages > 0 && fetchMs > 0 ? fetchMs / pages : this.#usual.fetchMs
    // The measured time contains the round trip of the agents that fetched the site; it is replaced.
    const known = Object.values(connectMs)
    const measuredMs = known.length > 0 ? known.reduce((sum, ms) => sum + ms, 0) / known.length : null
    const extraMs = measuredMs === null ? 0 : (this.#connectMs(v, agent) ?? measuredMs) - measuredMs
    return this.#inputs.left[v].queued * Math.max(this.#inputs.delayMs, pageMs + extraMs, 0)
  }

  /** S12: the time of the agent that gives or takes most, for the cells that are asked back. */
  relocationMs(parts: Int32Array): Millis {
    const spent = this.#inputs.agents.map(() => 0)
    for (const [v, site] of this.#inputs.left.entries()) {
      if (!isAskedBack(site, parts[v])) continue
      const costMs = LIMITS.movedCellMs + site.known * LIMITS.movedUrlMs
      spent[site.heldBy] += costMs
      spent[parts[v]] += costMs
    }
    const most = Math.max(...spent)
    return most > 0 ? LIMITS.movedBeatMs + most : 0
  }

  #pageBytes(v: number): number {
    const { pages, bytes } = this.#inputs.web.sites[v]
    return pages > 0 ? bytes / pages : this.#usual.bytes
  }

  #countMessages(work: readonly Work[], parts: Int32Array): void {
    const { netOffsets, pins } = this.#inputs.web
    for (let net = 0; net + 1 < netOffsets.length; net++) {
      const source = parts[pins[netOffsets[net]]]
      const others = new Set<number>()
      for (let at = netOffsets[net] + 1; at < netOffsets[net + 1]; at++) others.add(parts[pins[at]])
      others.delete(source)
      for (const other of others) work[source].messages[other] += this.#inputs.netPages[net]
    }
  }

  /** S10: lanes work in parallel; the longest site and the bandwidth set lower bounds. */
  #downloadMs({ totalMs, longestMs, bytes }: Work, { lanes, bytesPerSecond }: PlacedAgent): Millis {
    const lineMs = bytesPerSecond ? (1000 * bytes) / bytesPerSecond : 0
    return Math.max(totalMs / Math.max(1, lanes), longestMs, lineMs)
  }

  /** S11: links are sent with packs, at one round trip each. */
  #exchangeMs({ messages }: Work, agent: number, downloadMs: Millis): Millis {
    let spentMs = 0
    for (const [other, count] of messages.entries()) {
      if (count === 0) continue
      const peer = this.#inputs.agents[agent].peers?.[this.#inputs.agents[other].name]
      const packs = Math.min(count, 1 + downloadMs / LIMITS.packAgeMs)
      const lineMs = peer?.bytesPerSecond
        ? (1000 * count * PREDICT_TIMES_MESSAGE_BYTES) / peer.bytesPerSecond
        : 0
      spentMs += count * LIMITS.messageMs + packs * (peer?.rttMs ?? 0) + lineMs
    }
    return spentMs
  }
}

/** Whether a site with waiting URLs gets another agent. */
export function isMoved(site: SiteLeft, next: number): boolean {
  return site.queued > 0 && placeOf(site) >= 0 && placeOf(site) !== next
}

/** Whether a site that moves is leased, so that its agent has to release it. */
export function isAskedBack(site: SiteLeft, next: number): boolean {
  return isMoved(site, next) && site.heldBy === placeOf(site)
}
