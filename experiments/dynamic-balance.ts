/**
 * Table 1 of the dynamic partition paper (D24): six lanes on three agents download 30 sites of 98,585 pages
 * together, with sites bound to lanes beforehand or taken one after the other, at random or by size. How even
 * is their work?
 */

import type { AgentWork } from '../src/ledger/index.js'
import { type Millis, SeededRandom } from '../src/model/index.js'
import type { Assignment } from '../src/plan/assign/index.js'
import { normalised, sampleStdev } from '../src/report/index.js'
import { latencyOf, type WebKnobs, WebPlan } from '../src/simulate/web/index.js'

export interface Method {
  readonly name: string
  readonly assign: Assignment['name']
  /**
   * What it is told of the sites (D12): nothing, their objects, or the time of their last download, which
   * orders S.
   */
  readonly sizes: 'unknown' | 'objects' | 'time'
  /** Sample standard deviation of the lanes' workloads in the paper. */
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
/** Of all pages: in the middle of the 10 to 14 % that the task allows. */
const LARGEST_SHARE = 0.12
/** Small pages: the time should go by waiting for servers, not by working on what they send. */
const LINKS_PER_PAGE = 25
/** How much the servers differ: the slowest take 1.65 times the mean, the fastest 0.35 times. */
const LATENCY_SPREAD = 0.65

export interface Balance {
  readonly name: string
  /** Each lane's download time, of that of all lanes. */
  readonly workload: readonly number[]
  readonly stdevPercent: number
  readonly paperPercent: number
}

/** What the previous crawl learned of a site (D12). */
export interface KnownSite {
  readonly site: number
  /** Objects. */
  readonly size: number
  /** Time of its last full download. */
  readonly downloadMs: Millis
}

export function balanceWeb(seed: number, pages: number): WebPlan {
  return new WebPlan({ sites: SITES, pages, seed, largestShare: LARGEST_SHARE, linksPerPage: LINKS_PER_PAGE })
}

export function balanceKnobs(latencyMs: Millis): WebKnobs {
  return { latencyMs, latencySpread: LATENCY_SPREAD }
}

/** The web of the experiment as a crawl would find it, without crawling it. */
export function sitesOf(plan: WebPlan, latencyMs: Millis): KnownSite[] {
  return Array.from({ length: plan.sites }, (_, site) => {
    const size = plan.sizeOf(site)
    return { site, size, downloadMs: size * latencyOf(plan, balanceKnobs(latencyMs), site, '/') }
  })
}

/** S at the start: by the time of the last download, the longest first, or in an order of the seed's own. */
export function startingOrder({ sizes }: Method, sites: readonly KnownSite[], seed: number): number[] {
  if (sizes === 'time')
    return [...sites].sort((a, b) => b.downloadMs - a.downloadMs || a.site - b.site).map(({ site }) => site)
  const random = new SeededRandom(seed)
  const drawn = sites.map(({ site }) => ({ site, at: random.next() }))
  return drawn.sort((a, b) => a.at - b.at).map(({ site }) => site)
}

/** What a method is told of a site before the crawl begins (D12); null when nothing. */
export function sizeFor({ sizes }: Method, { size, downloadMs }: KnownSite): number | null {
  if (sizes === 'unknown') return null
  return sizes === 'objects' ? size : Math.round(downloadMs)
}

/** Of every lane, also of those that had nothing to do; what coordinates and has no lane is no agent here. */
export function laneTimes(agents: readonly AgentWork[]): Millis[] {
  const times = new Array<Millis>(AGENTS * LANES_PER_AGENT).fill(0)
  const working = agents.filter(({ lanes }) => lanes.length > 0)
  for (const [at, { lanes }] of working.entries())
    for (const { lane, fetchMs } of lanes) times[at * LANES_PER_AGENT + lane - 1] += fetchMs
  return times
}

/** `times`: the download time of every lane, those that had nothing to do included. */
export function balanceOf({ name, paperPercent }: Method, times: readonly Millis[]): Balance {
  const workload = normalised(times)
  return { name, workload, stdevPercent: 100 * sampleStdev(workload), paperPercent }
}
