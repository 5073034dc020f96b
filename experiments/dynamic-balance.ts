/**
 * Table 1 of the dynamic partition paper (D24): six lanes on three agents download 30 sites with 98,585
 * pages, which are bound to lanes beforehand or taken one after the other, at random or by size. It shows how
 * even the work is.
 */

import type { AgentWork } from '../src/ledger/index.js'
import { type Millis, SeededRandom } from '../src/model/index.js'
import type { Assignment } from '../src/plan/assign/index.js'
import { normalised, sampleStdev } from '../src/report/index.js'
import { latencyOf, type WebKnobs, WebPlan } from '../src/simulate/web/index.js'

export interface Method {
  readonly name: string
  readonly assign: Assignment['name']
  /** The known sizes of the sites: none, numbers of pages, or times of the last download. */
  readonly sizes: 'unknown' | 'objects' | 'time'
  /** The sample standard deviation of the lanes' workloads in the paper. */
  readonly paperPercent: number
}

export const METHODS: readonly Method[] = [
  { name: 'Static-Random', assign: 'static-random', sizes: 'unknown', paperPercent: 6.19 },
  { name: 'Static-Size', assign: 'static-size', sizes: 'objects', paperPercent: 3.44 },
  { name: 'Dynamic-Random', assign: 'dynamic', sizes: 'unknown', paperPercent: 2.5 },
  { name: 'Dynamic-Size', assign: 'dynamic', sizes: 'time', paperPercent: 0.82 },
]

export const AGENTS = 3
export const LANES_PER_AGENT = 2
export const PAGES = 98_585
const SITES = 30
/** The share of the largest site. */
const LARGEST_SHARE = 0.12
/** Few links, so that most of the time is spent waiting for servers. */
const LINKS_PER_PAGE = 25
/** The slowest server takes 1.65 times the mean, the fastest 0.35 times. */
const LATENCY_SPREAD = 0.65

export interface Balance {
  readonly name: string
  /** The share of each lane in the download time of all lanes. */
  readonly workload: readonly number[]
  readonly stdevPercent: number
  readonly paperPercent: number
}

/** What the previous crawl learned about a site. */
export interface KnownSite {
  readonly site: number
  /** The number of pages. */
  readonly size: number
  /** The time of its last full download. */
  readonly downloadMs: Millis
}

export function balanceWeb(seed: number, pages: number): WebPlan {
  return new WebPlan({ sites: SITES, pages, seed, largestShare: LARGEST_SHARE, linksPerPage: LINKS_PER_PAGE })
}

export function balanceKnobs(latencyMs: Millis): WebKnobs {
  return { latencyMs, latencySpread: LATENCY_SPREAD }
}

/** The sites of the experiment's web, as a crawl would find them. */
export function sitesOf(plan: WebPlan, latencyMs: Millis): KnownSite[] {
  return Array.from({ length: plan.sites }, (_, site) => {
    const size = plan.sizeOf(site)
    return { site, size, downloadMs: size * latencyOf(plan, balanceKnobs(latencyMs), site, '/') }
  })
}

/** The queue at the start: by descending time of the last download, or in an order given by the seed. */
export function startingOrder({ sizes }: Method, sites: readonly KnownSite[], seed: number): number[] {
  if (sizes === 'time')
    return [...sites].sort((a, b) => b.downloadMs - a.downloadMs || a.site - b.site).map(({ site }) => site)
  const random = new SeededRandom(seed)
  const drawn = sites.map(({ site }) => ({ site, at: random.next() }))
  return drawn.sort((a, b) => a.at - b.at).map(({ site }) => site)
}

/** The size of a site that a method knows before the crawl; null for none. */
export function sizeFor({ sizes }: Method, { size, downloadMs }: KnownSite): number | null {
  if (sizes === 'unknown') return null
  return sizes === 'objects' ? size : Math.round(downloadMs)
}

/** The download time of each lane, idle ones included. The coordinator has no lanes and does not count. */
export function laneTimes(agents: readonly AgentWork[]): Millis[] {
  const times = new Array<Millis>(AGENTS * LANES_PER_AGENT).fill(0)
  const working = agents.filter(({ lanes }) => lanes.length > 0)
  for (const [at, { lanes }] of working.entries())
    for (const { lane, fetchMs } of lanes) times[at * LANES_PER_AGENT + lane - 1] += fetchMs
  return times
}

export function balanceOf({ name, paperPercent }: Method, times: readonly Millis[]): Balance {
  const workload = normalised(times)
  return { name, workload, stdevPercent: 100 * sampleStdev(workload), paperPercent }
}
