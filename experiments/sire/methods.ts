/** Who gets which host: the schemes that are compared, each for every number of crawlers. */
import type { GraphWeights } from '../../src/config/index.js'
import { fingerprint, takeFingerprint } from '../../src/model/bytes/index.js'
import { graphParts, hashedParts } from '../../src/plan/assign/learned/index.js'
import type { PresetName } from '../../src/plan/partition/state/index.js'
import { crawlerName, HOSTS, type NationalWeb } from './national-web.js'

export type Scheme = 'Host-SIRE' | 'IP-SIRE' | 'host hash' | 'consistent hash' | 'hybrid' | 'centralised'

/**
 * As even as sites allow: the slowest crawler is what counts (S10). A hash can be lucky, though not that
 * lucky.
 */
const EPSILON = 0.002
/** What it costs to move a URL, in links: it travels once, links in every crawl. */
export const MIGRATION_WEIGHT = 0.2

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

export function hostHash({ learned }: NationalWeb, k: number): Int32Array {
  return Int32Array.from(learned.sites, ({ site }) => {
    takeFingerprint(site)
    return fingerprint.low % k
  })
}

/** As `--assign hash` has it: one crawler more takes its share from all, and nothing else moves. */
export function consistentHash({ learned }: NationalWeb, k: number): Int32Array {
  return hashedParts(learned, new Array<number>(k).fill(1))
}
