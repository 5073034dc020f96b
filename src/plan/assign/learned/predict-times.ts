/**
 * How long what is left of a crawl takes, wherever its sites are placed, in the terms of the SIRE paper:
 * download time (S10), exchange time (S11) and relocation time (S12). Of what nothing was measured the least
 * that can be assumed is: - a site that no page came from yet: pages like those of the others; - the time
 * from an agent to a site: that to the site's address, to its block of addresses, else what others measured;
 * - what a line carries, and how far two agents are from each other: no limit, and no distance.
 */

import { LIMITS, type Millis, siteOfCell } from '../../../model/index.js'
import { connectTimes } from './graph-objectives.js'
import type { LearnedWeb } from './learned-web.js'

/** What is left of a site, or of a piece of one that was split, and who has it. */
export interface SiteLeft {
  /** The name of the cell where it is a piece. */
  readonly site: string
  /** URLs that wait, and URLs known in all: who takes it over reads those. */
  readonly queued: number
  readonly known: number
  /** Place in `agents` of the one it is meant for; -1 when that is gone, or it is meant for nobody. */
  readonly part: number
  /** Place of the one that has it leased; -1 when nobody has. */
  readonly heldBy: number
  /** Taken over by an agent with a free lane, whoever it is meant for: that is no mistake. */
  readonly isBargain: boolean
}

/** Where it is as things stand; -1 when it has to go somewhere yet. */
export function placeOf({ part, heldBy, isBargain }: SiteLeft): number {
  return heldBy >= 0 && !isBargain ? heldBy : part
}

/** An agent that sites can be placed with. */
export interface PlacedAgent {
  readonly name: string
  readonly share: number
  readonly lanes: number
  /** What its line carries; absent where nobody knows. */
  readonly bytesPerSecond?: number | undefined
  /** What it has measured of the others, by name. */
  readonly peers?: Readonly<Record<string, { readonly rttMs: Millis; readonly bytesPerSecond: number }>>
}

/** Until the agent with most to do has fetched what is left (S10), and has sent its links (S11). */
export interface Prediction {
  readonly downloadMs: Millis
  readonly exchangeMs: Millis
  readonly messages: number
}

/** S13 has 40 bytes a URL; a row has the page that it stood on, too. */
const MESSAGE_BYTES = 150

interface Work {
  totalMs: Millis
  longestMs: Millis
  bytes: number
  /** To each of the others. */
  readonly messages: number[]
}

export class PredictedTimes {
  readonly #web: LearnedWeb
  readonly #left: readonly SiteLeft[]
  readonly #agents: readonly PlacedAgent[]
  readonly #delayMs: Millis
  /** What the links of a net come to among the pages that are left. */
  readonly #netPages: Float64Array
  readonly #connectMs: (v: number, agent: number) => Millis | undefined
  /** Of the sites that pages came from. */
  readonly #usual: { readonly fetchMs: Millis; readonly bytes: number }

  constructor(
    web: LearnedWeb,
    left: readonly SiteLeft[],
    netPages: Float64Array,
    agents: readonly PlacedAgent[],
    delayMs: Millis,
  ) {
    this.#web = web
    this.#left = left
    this.#netPages = netPages
    this.#agents = agents
    this.#delayMs = delayMs
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

  /** With each site where `parts` says. */
  of(parts: Int32Array): Prediction {
    const work = this.#agents.map((): Work => {
      return { totalMs: 0, longestMs: 0, bytes: 0, messages: this.#agents.map(() => 0) }
    })
    const leftMs = this.#left.map((_, v) => this.siteMs(v, parts[v]))
    const turnMs = this.#turnMs(leftMs)
    for (const [v, { queued }] of this.#left.entries()) {
      const own = work[parts[v]]
      own.totalMs += leftMs[v]
      if (queued > 0)
        own.longestMs = Math.max(own.longestMs, turnMs.get(siteOfCell(this.#web.sites[v].site))!)
      own.bytes += queued * this.#pageBytes(v)
    }
    this.#countMessages(work, parts)
    const download = work.map((own, j) => this.#downloadMs(own, this.#agents[j]))
    const exchange = work.map((own, j) => this.#exchangeMs(own, j, download[j]))
    const messages = work.reduce((all, own) => all + own.messages.reduce((sum, count) => sum + count, 0), 0)
    return { downloadMs: Math.max(...download), exchangeMs: Math.max(...exchange), messages }
  }

  /** By site: one that was split has one turn, and takes its time however many have pieces of it. */
  #turnMs(leftMs: readonly Millis[]): ReadonlyMap<string, Millis> {
    const turnMs = new Map<string, Millis>()
    for (const [v, ms] of leftMs.entries()) {
      const site = siteOfCell(this.#web.sites[v].site)
      turnMs.set(site, (turnMs.get(site) ?? 0) + ms)
    }
    return turnMs
  }

  /** One request at a time: a site takes its time however many lanes there are. */
  siteMs(v: number, agent: number): Millis {
    const { pages, fetchMs, connectMs } = this.#web.sites[v]
    const pageMs = pages > 0 && fetchMs > 0 ? fetchMs / pages : this.#usual.fetchMs
    // The time that was measured holds the way to the site of those who fetched it: another has another way.
    const known = Object.values(connectMs)
    const before = known.length > 0 ? known.reduce((sum, ms) => sum + ms, 0) / known.length : null
    const wayMs = before === null ? 0 : (this.#connectMs(v, agent) ?? before) - before
    return this.#left[v].queued * Math.max(this.#delayMs, pageMs + wayMs, 0)
  }

  /**
   * S12: what the agent with most to give or to take needs for the cells that are asked back; 0 where none
   * is.
   */
  relocationMs(parts: Int32Array): Millis {
    const spent = this.#agents.map(() => 0)
    for (const [v, site] of this.#left.entries()) {
      if (!isAskedBack(site, parts[v])) continue
      const costMs = LIMITS.movedCellMs + site.known * LIMITS.movedUrlMs
      spent[site.heldBy] += costMs
      spent[parts[v]] += costMs
    }
    const most = Math.max(...spent)
    return most > 0 ? LIMITS.movedBeatMs + most : 0
  }

  #pageBytes(v: number): number {
    const { pages, bytes } = this.#web.sites[v]
    return pages > 0 ? bytes / pages : this.#usual.bytes
  }

  #countMessages(work: readonly Work[], parts: Int32Array): void {
    const { netOffsets, pins } = this.#web
    for (let net = 0; net + 1 < netOffsets.length; net++) {
      const source = parts[pins[netOffsets[net]]]
      const others = new Set<number>()
      for (let at = netOffsets[net] + 1; at < netOffsets[net + 1]; at++) others.add(parts[pins[at]])
      others.delete(source)
      for (const other of others) work[source].messages[other] += this.#netPages[net]
    }
  }

  /** Its lanes work side by side; none is faster than its longest site, nor all together than their line. */
  #downloadMs({ totalMs, longestMs, bytes }: Work, { lanes, bytesPerSecond }: PlacedAgent): Millis {
    const lineMs = bytesPerSecond ? (1000 * bytes) / bytesPerSecond : 0
    return Math.max(totalMs / Math.max(1, lanes), longestMs, lineMs)
  }

  /** Links go with the packs: one is on its way for each, there and back. */
  #exchangeMs({ messages }: Work, agent: number, downloadMs: Millis): Millis {
    let spentMs = 0
    for (const [other, count] of messages.entries()) {
      if (count === 0) continue
      const peer = this.#agents[agent].peers?.[this.#agents[other].name]
      const packs = Math.min(count, 1 + downloadMs / LIMITS.packAgeMs)
      const lineMs = peer?.bytesPerSecond ? (1000 * count * MESSAGE_BYTES) / peer.bytesPerSecond : 0
      spentMs += count * LIMITS.messageMs + packs * (peer?.rttMs ?? 0) + lineMs
    }
    return spentMs
  }
}

/** Something is left of it, and it gets another agent. */
export function isMoved(site: SiteLeft, next: number): boolean {
  return site.queued > 0 && placeOf(site) >= 0 && placeOf(site) !== next
}

/** And is leased. */
export function isAskedBack(site: SiteLeft, next: number): boolean {
  return isMoved(site, next) && site.heldBy === placeOf(site)
}
