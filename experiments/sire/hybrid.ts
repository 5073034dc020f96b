/**
 * What `--assign hybrid` does, by its own code: hosts go to crawlers by a partition of the hypergraph, and
 * who has none of its own left takes those that wait where it costs the fewest links. Crawlers only take time
 * here, as S10 has it: hosts that one of them has in hand share its connections, and are done together.
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

/** As the crawl has it. */
const EPSILON = 0.05
/**
 * Hosts that a crawler takes at a time. With fewer the last are a little more even, and all of this takes
 * longer.
 */
const LANES = 40

export interface HybridParts {
  /** Who has crawled each host in the end. */
  readonly parts: Int32Array
  /** The table that they began with. */
  readonly table: Int32Array
  readonly bound: number
}

/** `before` is the table with one crawler less, as when a crawler joins and sites are placed anew. */
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

/** Crawls all hosts, the largest first: who took which. */
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
    for (const cell of hybrid.assign(waiting.lookFor(free), views).given.get(free) ?? []) {
      const host = hostOf.get(cell)!
      parts[host] = free
      until += hostSeconds(web, host, free)
      waiting.take(host)
    }
    busy.push({ crawler: free, until })
  }
  return parts
}

/** A crawler has something to do until then. */
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

/** S, the largest first (D14), as one crawler has to look at it. */
class Waiting {
  readonly #order: { readonly host: number; readonly row: WaitingCell }[]
  /** Of each part. */
  readonly #own: { readonly host: number; readonly row: WaitingCell }[][]
  readonly #isTaken = new Uint8Array(HOSTS)
  size = HOSTS

  constructor({ learned }: NationalWeb, k: number, table: Int32Array) {
    const hosts = Array.from(learned.sites.keys())
    hosts.sort((a, b) => learned.sites[b].pages - learned.sites[a].pages)
    this.#order = hosts.map((host, rank) => ({ host, row: rowOf(learned.sites[host], rank) }))
    // The next is the last.
    const reversed = [...this.#order].reverse()
    this.#own = Array.from({ length: k }, (_, part) => reversed.filter(({ host }) => table[host] === part))
  }

  /** Where it has enough of its own it gets nothing else: the others need not be looked at. */
  lookFor(crawler: number): WaitingCell[] {
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
