/** Times of all schemes on one national web, for 1 to 30 crawlers (S14). */
import { GRAPH_WEIGHTS, type GraphWeights } from '../../src/config/index.js'
import { PrefixTable } from '../../src/plan/assign/learned/index.js'
import type { PresetName } from '../../src/plan/partition/state/index.js'
import type { Effort } from '../frame/index.js'
import { hybridParts } from './hybrid.js'
import { consistentHash, hostHash, type Scheme, sireParts } from './methods.js'
import { HOSTS, MOST_CRAWLERS, type NationalWeb, nationalWeb } from './national-web.js'
import { downloadTime, exchangeTime, relocationTime } from './times.js'

export interface Row {
  readonly crawlers: number
  readonly scheme: Scheme
  /** Times of the slowest crawler. */
  readonly downloadSeconds: number
  readonly exchangeSeconds: number
  /** When one crawler is added; null for the last number of crawlers. */
  readonly relocationSeconds: number | null
  /** Reductions against host hash. */
  readonly downloadReductionPercent: number
  /** Null with one crawler. */
  readonly exchangeReductionPercent: number | null
  readonly relocationReductionPercent: number | null
  /** Mean round-trip time between a page and its crawler. */
  readonly rttMs: number
  /** A lower bound of the imbalance for any assignment of whole vertices; null for schemes without one. */
  readonly boundPercent: number | null
  /** The number of address prefixes in the routing table; null if an address has several parts. */
  readonly prefixes: number | null
}

export interface Plan {
  readonly crawlers: number
  readonly seeds: number
  readonly hostPreset: PresetName
  readonly addressPreset: PresetName
  readonly hybridPreset: PresetName
}

export const PLANS: Readonly<Record<Effort, Plan>> = {
  quick: { crawlers: 8, seeds: 1, hostPreset: 'fast', addressPreset: 'fast', hybridPreset: 'fast' },
  default: {
    crawlers: MOST_CRAWLERS,
    seeds: 1,
    hostPreset: 'fast',
    addressPreset: 'default',
    hybridPreset: 'fast',
  },
  full: {
    crawlers: MOST_CRAWLERS,
    seeds: 8,
    hostPreset: 'default',
    addressPreset: 'default',
    hybridPreset: 'default',
  },
}

interface Parts {
  readonly parts: Int32Array
  readonly bound: number | null
  /** The parts of the routing table, if crawlers took other hosts too. */
  readonly table?: Int32Array
}

/** Each number of crawlers starts from the parts of the previous one, so that few hosts move. */
export function measureWeb(seed: number, plan: Omit<Plan, 'seeds'>, tell: (text: string) => void): Row[] {
  const web = nationalWeb(seed)
  const steps: ReadonlyMap<Scheme, Parts>[] = []
  for (let k = 1; k <= plan.crawlers; k++) {
    steps.push(schemesFor(web, k, steps.at(-1) ?? null, seed, plan))
    tell(`web ${seed}, ${k} crawlers`)
  }
  return steps.flatMap((step, i) => {
    const next = steps[i + 1] ?? null
    const hash = timesOf(web, i + 1, step.get('host hash')!, next?.get('host hash') ?? null)
    return [...step].map(([scheme, found]): Row => {
      const times = timesOf(web, i + 1, found, next?.get(scheme) ?? null)
      return {
        crawlers: i + 1,
        scheme,
        ...times,
        downloadReductionPercent: saved(times.downloadSeconds, hash.downloadSeconds)!,
        exchangeReductionPercent: saved(times.exchangeSeconds, hash.exchangeSeconds),
        relocationReductionPercent: saved(times.relocationSeconds, hash.relocationSeconds),
        boundPercent: found.bound === null ? null : 100 * found.bound,
        prefixes: scheme === 'IP-SIRE' ? prefixesOf(web, found.parts) : null,
      }
    })
  })
}

function schemesFor(
  web: NationalWeb,
  k: number,
  before: ReadonlyMap<Scheme, Parts> | null,
  seed: number,
  { hostPreset, addressPreset, hybridPreset }: Omit<Plan, 'seeds'>,
): ReadonlyMap<Scheme, Parts> {
  const previous = (scheme: Scheme) => before?.get(scheme)?.parts ?? null
  const common = { weights: GRAPH_WEIGHTS, seed }
  const byHost = sireParts(web, 'site', k, previous('Host-SIRE'), { ...common, preset: hostPreset })
  const byAddress = sireParts(web, 'address', k, previous('IP-SIRE'), { ...common, preset: addressPreset })
  return new Map<Scheme, Parts>([
    ['centralised', { parts: new Int32Array(HOSTS), bound: null }],
    ['host hash', { parts: hostHash(web, k), bound: null }],
    ['consistent hash', { parts: consistentHash(web, k), bound: null }],
    ['Host-SIRE', byHost],
    ['IP-SIRE', byAddress],
    ['hybrid', hybridParts(web, k, before?.get('hybrid')?.table ?? null, hybridPreset, seed)],
  ])
}

type Times = Pick<Row, 'downloadSeconds' | 'exchangeSeconds' | 'relocationSeconds' | 'rttMs'>

function timesOf(web: NationalWeb, k: number, { parts }: Parts, next: Parts | null): Times {
  return {
    downloadSeconds: downloadTime(web, k, parts),
    exchangeSeconds: exchangeTime(web, k, parts),
    relocationSeconds: next && relocationTime(web, k + 1, parts, next.parts),
    rttMs: meanRttMs(web, parts),
  }
}

function prefixesOf({ learned }: NationalWeb, parts: Int32Array): number {
  const routes = learned.sites.map(({ addresses }, host) => ({ address: addresses[0], part: parts[host] }))
  return new PrefixTable(routes).prefixes().length
}

function saved(ours: number | null, hash: number | null): number | null {
  return ours === null || hash === null || hash === 0 ? null : 100 * (1 - ours / hash)
}

function meanRttMs({ learned, rttSeconds }: NationalWeb, parts: Int32Array): number {
  let sum = 0
  let pages = 0
  for (let host = 0; host < HOSTS; host++) {
    sum += learned.sites[host].pages * rttSeconds[host * MOST_CRAWLERS + parts[host]]
    pages += learned.sites[host].pages
  }
  return (1_000 * sum) / pages
}

export type Varied = Times & { readonly rtt: number }

/** IP-SIRE with different factors of the RTT graph; the factor of the links is 1. */
export function varyFactors(seed: number, k: number, factors: readonly number[]): Varied[] {
  const web = nationalWeb(seed)
  return factors.map(rtt => {
    const weights: GraphWeights = { ...GRAPH_WEIGHTS, rtt }
    const { parts } = sireParts(web, 'address', k, null, { weights, preset: 'fast', seed })
    return { rtt, ...timesOf(web, k, { parts, bound: null }, null) }
  })
}
