/**
 * `--assign hybrid` with its own code: hosts go to crawlers by a partition of the hypergraph, and a crawler
 * without waiting hosts of its own takes those for which the fewest links have to travel. A crawler only
 * takes time here: its hosts share its connections and are done together.
 */

import type { WaitingCell } from '../../src/ledger/index.js'
import { Heap } from '../../src/model/index.js'
import type { AgentView } from '../../src/plan/assign/index.js'
import { hypergraphOf, RoutedAssignment, tableOf } from '../../src/plan/assign/learned/index.js'
import { partition } from '../../src/plan/partition/index.js'
import type { PresetName } from '../../src/plan/partition/state/index.js'
import { MIGRATION_WEIGHT } from './methods.js'
import { crawlerName, HOSTS, type NationalWeb } from './national-web.js'
import { hostSeconds } from './times.js'

/** As in a crawl. */
const EPSILON = 0.05
/**
 * Hosts that a crawler takes at a time. Fewer would be a little more even at the end, and slower to compute.
 */
const LANES = 40

export interface HybridParts {
  /** The crawler of each host. */
  readonly parts: Int32Array
  /** The parts of the routing table. */
  readonly table: Int32Array
  readonly bound: number
}

/** `before` is the table with one crawler less, as in a repartition when a crawler joins. */
export function hybridParts(
  web: NationalWeb,
  k: number,
  before: Int32Array | null,
  preset: PresetName,
  seed: number,
): HybridParts {
  if (k === 1) return { parts: new Int32Array(HOSTS), table: new Int32Array(HOSTS), bound: 0 }
  const { parts: table, imbalanceBound } = partition({
    hypergraph: hypergraphOf(web.learned),
    k,
    epsilons: [EPSILON, EPSILON],
    preset,
    seed,
    ...(before && { previous: before, migrationWeight: MIGRATION_WEIGHT }),
  })
  return { parts: crawled(web, k, table), table, bound: Math.max(...imbalanceBound) }
}

/** Crawls all hosts, the largest first, and returns the crawler of each. */
function crawled(web: NationalWeb, k: number, table: Int32Array): Int32Array {
  const hybrid = new RoutedAssignment('hybrid', tableOf(web.learned, k, { parts: table }, true), () => 0)
  const crawlers = Array.from({ length: k }, (_, crawler) => crawler)
  hybrid.owners.restore(crawlers.map(crawlerName))
  const hostOf = new Map(web.learned.sites.map(({ site }, host) => [site, host]))
  const waiting = new Waiting(web, k, table)
  const parts = new Int32Array(HOSTS)
  const busy = new Heap<Busy>((a, b) => a.until < b.until, crawlers.map(idle))
  while (waiting.size > 0) {
    const { crawler: free, until: now } = busy.shift()!
    const views = crawlers.map(crawler => viewOf(crawler, crawler === free))
    let until = now
    for (const cell of hybrid.assign(waiting.rowsFor(free), views).given.get(free) ?? []) {
      const host = hostOf.get(cell)!
      parts[host] = free
      until += hostSeconds(web, host, free)
      waiting.take(host)
    }
    busy.push({ crawler: free, until })
  }
  return parts
}

/** The time until which a crawler is busy. */
interface Busy {
  readonly crawler: number
  readonly until: number
}

function idle(crawler: number): Busy {
  return { crawler, until: 0 }
}

function viewOf(crawler: number, isFree: boolean): AgentView {
  return {
    name: crawlerName(crawler),
    incarnation: crawler,
    lanes: LANES,
    freeLanes: isFree ? LANES : 0,
    held: 0,
    busyLanes: [],
    capacity: 1,
  }
}

/** The queue of waiting hosts, the largest first. */
class Waiting {
  readonly #order: { readonly host: number; readonly row: WaitingCell }[]
  /** The hosts of each part; the first in the queue is last here. */
  readonly #own: { readonly host: number; readonly row: WaitingCell }[][]
  readonly #isTaken = new Uint8Array(HOSTS)
  size = HOSTS

  constructor({ learned }: NationalWeb, k: number, table: Int32Array) {
    const hosts = Array.from(learned.sites.keys())
    hosts.sort((a, b) => learned.sites[b].pages - learned.sites[a].pages)
    this.#order = hosts.map((host, rank) => ({ host, row: rowOf(learned.sites[host], rank) }))
    const reversed = [...this.#order].reverse()
    this.#own = Array.from({ length: k }, (_, part) => reversed.filter(({ host }) => table[host] === part))
  }

  /** The hosts that a crawler may get: if it has enough of its own, it gets no others. */
  rowsFor(crawler: number): WaitingCell[] {
    const own = this.#own[crawler]
    const found: WaitingCell[] = []
    let at = own.length
    while (at > 0 && found.length < LANES) {
      at--
      if (!this.#isTaken[own[at].host]) found.push(own[at].row)
    }
    if (found.length === LANES) return found
    return this.#order.filter(({ host }) => !this.#isTaken[host]).map(({ row }) => row)
  }

  take(host: number): void {
    this.#isTaken[host] = 1
    this.size--
    for (const own of this.#own) while (own.length > 0 && this.#isTaken[own[own.length - 1].host]) own.pop()
  }
}

function rowOf({ site, pages }: NationalWeb['learned']['sites'][number], rank: number): WaitingCell {
  return {
    cell: site,
    group: site,
    rank,
    size: pages,
    backlog: 1,
    turnOf: null,
    turn: site,
    boundTo: null,
  }
}
