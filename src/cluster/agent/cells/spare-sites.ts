/**
 * The sites that this agent could release to an agent without work, and which to release first. Sites that
 * share a politeness turn go together: the holder of the turn would get a single site back.
 */

import { addTo, type CellId, type Clock, type Millis } from '../../../model/index.js'
import type { GroupPace } from '../../../page/politeness/index.js'
import { SPARE_SITES_LEAST_LEFT_MS, SPARE_SITES_REPEAT_MS } from '../../limits.js'
import type { SiteMode } from '../site/index.js'

/**
 * A site with fewer queued URLs is not worth a commit, a lease and a rebuild. If this were higher, an agent
 * with many small sites would release none, however far behind it is.
 */
const LEAST_QUEUED = 4
/** The rebuild reads all known URLs, so at least this part of them must be queued. */
const LEAST_QUEUED_PART = 1 / 20

export interface SiteLoad {
  /** Sites with something left to do. */
  readonly busySites: number
  /** The same sites, each counted as the part of its known URLs that is queued. */
  readonly workLeft: number
  /** Groups of sites that could go to others. */
  readonly spareGroups: number
}

type Group = Pick<GroupPace, 'sites' | 'borrowers' | 'dissolved'>

/** The part of a site that matters here. */
export interface SiteInHand {
  readonly mode: SiteMode
  readonly isRequesting: boolean
  readonly lane: { readonly isIdle: boolean }
  readonly frontier: { readonly size: number; readonly known: number; readonly isEmpty: boolean }
  readonly pace: { readonly groups: readonly Group[] }
}

export class SpareSites<Site extends SiteInHand> {
  readonly #clock: Clock
  readonly #sites: () => ReadonlyMap<CellId, Site>
  /** False if a lane keeps its site to the end. */
  readonly #givesAway: boolean
  /** Requests sent by this agent. */
  readonly #fetches: () => number
  /** Time and number of requests at the first look after the first request. */
  #first: { readonly at: Millis; readonly fetches: number } | null = null
  #pickedAt: Millis = Number.NEGATIVE_INFINITY

  constructor(
    clock: Clock,
    sites: () => ReadonlyMap<CellId, Site>,
    fetches: () => number,
    givesAway: boolean,
  ) {
    this.#clock = clock
    this.#fetches = fetches
    this.#sites = sites
    this.#givesAway = givesAway
  }

  load(opening = 0): SiteLoad {
    let busySites = opening
    let workLeft = opening
    let queued = 0
    for (const site of this.#sites().values()) {
      queued += site.frontier.size
      if (!site.lane.isIdle || !site.frontier.isEmpty) busySites++
      workLeft += partLeft(site)
    }
    const isSoonDone = this.#leftMs(queued) < SPARE_SITES_LEAST_LEFT_MS
    const spareGroups = isSoonDone ? 0 : this.#groups().length
    return { busySites, workLeft: Math.round(workLeft), spareGroups }
  }

  /** How long the queued URLs take at the average pace of this agent. */
  #leftMs(queued: number): Millis {
    const now = this.#clock.monotonic()
    const fetches = this.#fetches()
    if (fetches > 0) this.#first ??= { at: now, fetches }
    const done = fetches - (this.#first?.fetches ?? 0)
    return done === 0 ? Number.POSITIVE_INFINITY : (queued * (now - this.#first!.at)) / done
  }

  /** The sites of this many groups: those without a request on the wire and with few URLs come first. */
  pick(groups: number): ReadonlySet<Site> {
    const now = this.#clock.monotonic()
    if (now - this.#pickedAt < SPARE_SITES_REPEAT_MS) return new Set()
    this.#pickedAt = now
    const spare = this.#groups().map(sites => ({
      sites,
      isRequesting: sites.some(site => site.isRequesting),
      known: sum(sites, ({ frontier }) => frontier.known),
    }))
    spare.sort((a, b) => Number(a.isRequesting) - Number(b.isRequesting) || a.known - b.known)
    return new Set(spare.slice(0, groups).flatMap(({ sites }) => sites))
  }

  #groups(): Site[][] {
    if (!this.#givesAway) return []
    const groups = new Map<Group, Site[]>()
    for (const site of this.#sites().values()) {
      const [group] = site.pace.groups
      if (group !== undefined) addTo(groups, group, site)
    }
    return [...groups.values()].filter(isSpare)
  }
}

/** All of a site is left before its inbox was read. */
function partLeft({ lane, frontier: { size, known } }: SiteInHand): number {
  return known > 0 ? size / known : lane.isIdle ? 0 : 1
}

function isSpare(sites: readonly SiteInHand[]): boolean {
  const queued = sum(sites, ({ frontier }) => frontier.size)
  const known = sum(sites, ({ frontier }) => frontier.known)
  if (queued < LEAST_QUEUED || queued < known * LEAST_QUEUED_PART) return false
  return sites.every(({ mode, pace }) => mode.is === 'crawling' && pace.groups.every(isOf(sites.length)))
}

/** True if no other site and no robots procedure of this agent uses the turn. */
function isOf(sites: number): (group: Group) => boolean {
  return group => group.dissolved || (group.sites === sites && group.borrowers === 0)
}

function sum(sites: readonly SiteInHand[], of: (site: SiteInHand) => number): number {
  return sites.reduce((total, site) => total + of(site), 0)
}
