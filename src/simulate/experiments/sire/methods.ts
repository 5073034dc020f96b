/** Who gets which host: the schemes that are compared, each for every number of crawlers. */
import type { GraphWeights } from '../../../assign/graph-objectives.js'
import { graphParts } from '../../../assign/plan-graph.js'
import { fingerprint, takeFingerprint } from '../../../model/fingerprint.js'
import type { PresetName } from '../../../partition/index.js'
import { crawlerName, HOSTS, type NationalWeb } from './national-web.js'

export type Scheme = 'Host-SIRE' | 'IP-SIRE' | 'host hash' | 'consistent hash' | 'hybrid'

/** As even as sites allow: the slowest crawler is what counts (S10). A hash can be lucky, though not that lucky. */
const EPSILON = 0.002
/** What it costs to move a URL, in links: it travels once, links in every crawl. */
const MIGRATION_WEIGHT = 0.2

export interface SireOptions {
  readonly weights: GraphWeights
  readonly preset: PresetName
  readonly seed: number
}

export interface SireParts {
  readonly parts: Int32Array
  /** What no assignment of whole vertices can go below: heaviest part over the mean, minus 1. */
  readonly bound: number
}

/** `before` are the parts with one crawler less: what stays need not be moved (S12). */
export function sireParts(
  web: NationalWeb,
  vertices: 'site' | 'address',
  k: number,
  before: Int32Array | null,
  { weights, preset, seed }: SireOptions,
): SireParts {
  if (k === 1) return { parts: new Int32Array(HOSTS), bound: 0 }
  const found = graphParts(web.learned, {
    agents: Array.from({ length: k }, (_, crawler) => crawlerName(crawler)),
    shares: new Array<number>(k).fill(1),
    grouping: 'none',
    vertices,
    weights,
    seed,
    epsilon: EPSILON,
    preset,
    ...(before && { previous: before, migrationWeight: MIGRATION_WEIGHT }),
  })
  if (typeof found === 'string') throw new Error(found)
  return { parts: found.parts, bound: found.imbalanceBound[0] }
}

export function hostHash(k: number): Int32Array {
  return Int32Array.from({ length: HOSTS }, (_, host) => {
    takeFingerprint(`host-${host}.pt`)
    return fingerprint.low % k
  })
}

/** The crawler that draws most for it: one more takes its share from all, and nothing else moves. */
export function consistentHash(k: number): Int32Array {
  return Int32Array.from({ length: HOSTS }, (_, host) => {
    let best = 0
    let most = -1
    for (let crawler = 0; crawler < k; crawler++) {
      takeFingerprint(`host-${host}.pt ${crawlerName(crawler)}`)
      if (fingerprint.low > most) {
        most = fingerprint.low
        best = crawler
      }
    }
    return best
  })
}

/**
 * Ours: parts as IP-SIRE has them, and who runs dry takes hosts of whoever has most left, those with the fewest links
 * to the part they leave, until nobody could be done earlier.
 */
export function hybrid({ learned }: NationalWeb, k: number, start: Int32Array): Int32Array {
  const parts = start.slice()
  const loads = new Float64Array(k)
  for (let host = 0; host < HOSTS; host++) loads[parts[host]] += learned.sites[host].pages
  const inside = linksInside(learned, parts)
  const mean = loads.reduce((sum, load) => sum + load, 0) / k
  const queues = Array.from({ length: k }, (_, part) =>
    Array.from(parts.keys())
      .filter(host => parts[host] === part)
      .sort((a, b) => inside[b] / learned.sites[b].pages - inside[a] / learned.sites[a].pages),
  )
  for (;;) {
    const [from, to] = [indexOfMost(loads), indexOfLeast(loads)]
    const host = queues[from].pop()
    if (host === undefined || loads[from] <= mean * (1 + EPSILON)) return parts
    const { pages } = learned.sites[host]
    // Where it would only make another the slowest it stays.
    if (loads[to] + pages >= loads[from]) continue
    parts[host] = to
    loads[from] -= pages
    loads[to] += pages
  }
}

/** For each host its links with hosts of its own part. */
function linksInside({ netOffsets, pins, counts }: NationalWeb['learned'], parts: Int32Array): Float64Array {
  const inside = new Float64Array(HOSTS)
  for (let net = 0; net < counts.length; net++) {
    const from = pins[netOffsets[net]]
    const to = pins[netOffsets[net] + 1]
    if (parts[from] !== parts[to]) continue
    inside[from] += counts[net]
    inside[to] += counts[net]
  }
  return inside
}

function indexOfMost(values: Float64Array): number {
  return values.reduce((best, value, at) => (value > values[best] ? at : best), 0)
}

function indexOfLeast(values: Float64Array): number {
  return values.reduce((best, value, at) => (value < values[best] ? at : best), 0)
}
