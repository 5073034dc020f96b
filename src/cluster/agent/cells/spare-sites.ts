/**
 * The sites in hand that could be crawled by another agent as well, and which of them go when one has run
 * dry. Sites that share a politeness turn go together: one of them alone could only come back to the agent
 * that holds the turn.
 */
import type { CellId, Clock, Millis } from '../../../model/index.js'
import type { GroupPace } from '../../../page/politeness/index.js'
import type { SiteMode } from '../site/index.js'

/** What moves is committed, leased and opened anew: a few URLs are not worth that. */
const LEAST_QUEUED = 10
/** The next agent reads every URL that is known: so large a part of them has to be left to do. */
const LEAST_QUEUED_PART = 1 / 20
/**
 * Nor is it worth anything shortly before the agent is done itself: agents of the same speed differ by as
 * much.
 */
const LEAST_LEFT_MS: Millis = 10_000
/** The bus may repeat a request. The coordinator makes none sooner than this. */
const REPEAT_MS: Millis = 2_000

export interface SiteLoad {
  /** Sites with something left to do. */
  readonly busySites: number
  /** Groups of sites that could go to others. */
  readonly spareGroups: number
}

/** What is asked of a turn that sites share. */
type Group = Pick<GroupPace, 'sites' | 'borrowers' | 'dissolved'>

/** What is asked of a site in hand. */
export interface SiteInHand {
  readonly mode: SiteMode
  readonly inFlight: number
  readonly robotsInFlight: number
  /** Nothing to ask for at the moment, and nothing to read. */
  readonly idle: boolean
  readonly frontier: { readonly size: number; readonly known: number; readonly isEmpty: boolean }
  readonly pace: { readonly groups: readonly Group[] }
}

export class SpareSites<Site extends SiteInHand> {
  readonly #clock: Clock
  readonly #sites: () => ReadonlyMap<CellId, Site>
  /** False where a lane keeps its site to the end. */
  readonly #givesAway: boolean
  /** Requests that this agent has sent. */
  readonly #fetches: () => number
  /** When it had first done something, and how much. */
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

  load(): SiteLoad {
    let busySites = 0
    let queued = 0
    for (const site of this.#sites().values()) {
      queued += site.frontier.size
      if (!site.idle || !site.frontier.isEmpty) busySites++
    }
    const isSoonDone = this.#leftMs(queued) < LEAST_LEFT_MS
    return { busySites, spareGroups: isSoonDone ? 0 : this.#groups().length }
  }

  /** How long what is queued takes at the pace of this agent so far. */
  #leftMs(queued: number): Millis {
    const now = this.#clock.monotonic()
    const fetches = this.#fetches()
    if (fetches > 0) this.#first ??= { at: now, fetches }
    const done = fetches - (this.#first?.fetches ?? 0)
    return done === 0 ? Number.POSITIVE_INFINITY : (queued * (now - this.#first!.at)) / done
  }

  /**
   * The sites of so many groups: first those that are not being asked at the moment, then those soonest
   * rebuilt.
   */
  pick(groups: number): ReadonlySet<Site> {
    const now = this.#clock.monotonic()
    if (now - this.#pickedAt < REPEAT_MS) return new Set()
    this.#pickedAt = now
    const spare = this.#groups().map(sites => ({
      sites,
      isAsked: sites.some(isAsking),
      known: sum(sites, ({ frontier }) => frontier.known),
    }))
    spare.sort((a, b) => Number(a.isAsked) - Number(b.isAsked) || a.known - b.known)
    return new Set(spare.slice(0, groups).flatMap(({ sites }) => sites))
  }

  #groups(): Site[][] {
    if (!this.#givesAway) return []
    const groups = new Map<Group, Site[]>()
    for (const site of this.#sites().values()) {
      const [group] = site.pace.groups
      if (group === undefined) continue
      const mates = groups.get(group)
      if (mates) mates.push(site)
      else groups.set(group, [site])
    }
    return [...groups.values()].filter(isSpare)
  }
}

function isSpare(sites: readonly SiteInHand[]): boolean {
  const queued = sum(sites, ({ frontier }) => frontier.size)
  const known = sum(sites, ({ frontier }) => frontier.known)
  if (queued < LEAST_QUEUED || queued < known * LEAST_QUEUED_PART) return false
  return sites.every(({ mode, pace }) => mode.is === 'crawling' && pace.groups.every(isOf(sites.length)))
}

/** Nobody else here needs the turn. */
function isOf(sites: number): (group: Group) => boolean {
  return group => group.dissolved || (group.sites === sites && group.borrowers === 0)
}

function isAsking({ inFlight, robotsInFlight }: SiteInHand): boolean {
  return inFlight + robotsInFlight > 0
}

function sum(sites: readonly SiteInHand[], of: (site: SiteInHand) => number): number {
  return sites.reduce((total, site) => total + of(site), 0)
}
