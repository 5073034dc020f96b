/** One experiment over many seeds: means of its methods, and how much single runs differ. */
import { sampleStdev } from '../src/report/index.js'
import { type Balance, balanceWeb, type KnownSite, METHODS, type Method, sitesOf } from './dynamic-balance.js'
import { mean } from './frame/index.js'

/** The means of many seeds; `workload` has the mean of each lane. */
export interface MeanBalance extends Balance {
  readonly seeds: number
  /** Sample standard deviation, least and greatest of the runs' `stdevPercent`. */
  readonly spreadPercent: number
  readonly leastPercent: number
  readonly mostPercent: number
}

export type SeededRun = (
  method: Method,
  sites: readonly KnownSite[],
  seed: number,
) => Balance | Promise<Balance>

export interface ManySeeds {
  readonly firstSeed: number
  readonly seeds: number
  readonly pages: number
  readonly latencyMs: number
}

/** With one seed, all methods get the same web and the same random numbers. */
export async function overSeeds(options: ManySeeds, run: SeededRun): Promise<MeanBalance[]> {
  const runs = METHODS.map((): Balance[] => [])
  for (let i = 0; i < options.seeds; i++) {
    const seed = options.firstSeed + i
    const sites = sitesOf(balanceWeb(seed, options.pages), options.latencyMs)
    for (const [at, method] of METHODS.entries()) runs[at].push(await run(method, sites, seed))
  }
  return METHODS.map((method, at) => meanOf(method, runs[at]))
}

function meanOf({ name, paperPercent }: Method, runs: readonly Balance[]): MeanBalance {
  const all = runs.map(({ stdevPercent }) => stdevPercent)
  return {
    name,
    workload: runs[0].workload.map((_, lane) => mean(runs.map(({ workload }) => workload[lane]))),
    stdevPercent: mean(all),
    paperPercent,
    seeds: runs.length,
    spreadPercent: sampleStdev(all),
    leastPercent: Math.min(...all),
    mostPercent: Math.max(...all),
  }
}
