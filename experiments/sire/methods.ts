/** The compared schemes that assign hosts to crawlers. */
import type { GraphWeights } from '../../src/config/index.js'
import { fingerprint, takeFingerprint } from '../../src/model/bytes/index.js'
import { graphParts, hashedParts } from '../../src/plan/assign/learned/index.js'
import type { PresetName } from '../../src/plan/partition/state/index.js'
import { crawlerName, HOSTS, type NationalWeb } from './national-web.js'

export type Scheme = 'Host-SIRE' | 'IP-SIRE' | 'host hash' | 'consistent hash' | 'hybrid' | 'centralised'

/** Nearly no imbalance, because the slowest crawler sets the time. */
const EPSILON = 0.002
/** The cost of moving a URL, in links: a URL moves once, links are exchanged in each crawl. */
export const MIGRATION_WEIGHT = 0.2

export interface SireOptions {
  readonly weights: GraphWeights
  readonly preset: PresetName
  readonly seed: number
}

export interface SireParts {
  readonly parts: Int32Array
  /** A lower bound of the imbalance for any assignment of whole vertices. */
  readonly bound: number
}

/** `before` has the parts with one crawler less; hosts that keep their crawler need not move. */
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

export function hostHash({ learned }: NationalWeb, k: number): Int32Array {
  return Int32Array.from(learned.sites, ({ site }) => {
    takeFingerprint(site)
    return fingerprint.low % k
  })
}

/** As with `--assign hash`: a new crawler takes its share from all others, and no other host moves. */
export function consistentHash({ learned }: NationalWeb, k: number): Int32Array {
  return hashedParts(learned, new Array<number>(k).fill(1))
}
