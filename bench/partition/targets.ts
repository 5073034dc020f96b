/** The targets that are not a km1: speed, presets, a large set, a crawler more. */
import type { Checked } from '../../src/plan/partition/check/index.js'
import { readHypergraph } from '../../src/plan/partition/io/index.js'
import { fastRow } from './fast.js'
import { geometricMean, verdict } from './figures.js'
import { writeLargeSet } from './made-set.js'
import { average, checked, gpmetis, hasGpmetis, type Made, orbweaver } from './partitioners.js'
import { type BenchSet, EPSILON } from './sets.js'

export type Row = [target: string, measured: string, verdict: string]

export interface Measured {
  readonly set: BenchSet
  readonly k: number
  readonly preset: 'default' | 'quality'
  readonly limit: number
  readonly ours: readonly Made[]
  /** The same with the fast preset, each right after its twin; empty beside `quality`. */
  readonly fast: readonly Made[]
  /** Empty where gpmetis is not installed. */
  readonly theirs: readonly Made[]
}

const TIMES_GPMETIS = 12
const QUIET_SECONDS = 5
const LARGE_SECONDS = 60
const LARGE_BYTES = 2e9
const LARGE_PARTS = 64
const MOVED_SHARE = 0.1
const FRESH_RATIO = 1.05
/** Of a page that moves, in messages. */
const MIGRATION_WEIGHT = '0.02'

export async function targetRows(
  measured: readonly Measured[],
  sets: readonly BenchSet[],
  seeds: readonly number[],
  withLarge: boolean,
  folder: string,
): Promise<Row[]> {
  const plain = measured.filter(each => each.preset === 'default')
  const google = sets.find(set => set.name === 'google')
  return [
    ...plain
      .filter(({ set, k }) => k === 64 && set.name !== 'ibm01' && set.name !== 'california')
      .map(speedRow),
    ...(plain.length > 0 ? [fastRow(plain), await qualityRow(plain, measured, folder)] : []),
    ...(google === undefined ? [] : await oneMoreRows(google, seeds, folder)),
    ...(withLarge ? await largeRows(folder) : []),
  ]
}

function speedRow({ set, k, ours, theirs }: Measured): Row {
  const seconds = average(ours, run => run.cpuSeconds)
  const times = theirs.length > 0 ? seconds / average(theirs, run => run.cpuSeconds) : undefined
  const target = `${set.name}, K = ${k}: at most ${TIMES_GPMETIS}x gpmetis and under ${QUIET_SECONDS} s`
  const found = times === undefined ? 'gpmetis not installed' : `${times.toFixed(1)}x`
  const isMet = seconds < QUIET_SECONDS && (times ?? 0) <= TIMES_GPMETIS
  return [target, `${found}, ${seconds.toFixed(2)} CPU s`, verdict(isMet)]
}

/** On the runs that have no `quality` row of their own, one seed. */
async function qualityRow(
  plain: readonly Measured[],
  measured: readonly Measured[],
  folder: string,
): Promise<Row> {
  const ratios: number[] = []
  for (const { set, k, ours } of plain) {
    const own = measured.find(each => each.preset === 'quality' && each.set === set && each.k === k)
    if (own === undefined && k > 16) continue
    const best = own?.ours[0] ?? (await orbweaver(set, k, 1, folder, ['--preset', 'quality']))
    ratios.push(best.km1 / ours[0].km1)
  }
  const mean = geometricMean(ratios)
  const better = ratios.filter(ratio => ratio < 1).length
  const found = `km1 ${mean.toFixed(4)}x, better in ${better} of ${ratios.length} runs`
  return ['quality: better than default on the geometric mean', found, verdict(mean < 1)]
}

async function oneMoreRows(google: BenchSet, seeds: readonly number[], folder: string): Promise<Row[]> {
  const shares: number[] = []
  const ratios: number[] = []
  let worst = 0
  for (const seed of seeds) {
    const before = await orbweaver(google, 16, seed, folder)
    const fresh = await orbweaver(google, 17, seed, folder)
    const flags = ['--previous', before.partFile, '--migration-weight', MIGRATION_WEIGHT]
    const after = await orbweaver(google, 17, seed, folder, flags)
    shares.push(movedShare(google, checked(google, 17, after.partFile, before.partFile)))
    ratios.push(after.km1 / fresh.km1)
    worst = Math.max(worst, ...after.imbalance)
  }
  const moved = mean(shares)
  const ratio = mean(ratios)
  const found = `${percent(moved)} moved, km1 ${ratio.toFixed(3)}x a fresh one, imbalance ${percent(worst)}`
  const isMet = moved <= MOVED_SHARE && ratio <= FRESH_RATIO && worst <= EPSILON + 1e-9
  const target = `google, 16 to 17 parts: at most ${percent(MOVED_SHARE)} of the pages move, km1 within 5 %`
  return [[target, found, verdict(isMet)]]
}

/** Pages are the last column of the weights. */
function movedShare(set: BenchSet, { movedWeight }: Checked): number {
  const { constraintCount, vertexWeights } = readHypergraph(set.file, set.weights)
  const pages = vertexWeights.filter((_, index) => index % constraintCount === constraintCount - 1)
  return (movedWeight.at(-1) ?? 0) / pages.reduce((sum, weight) => sum + weight, 0)
}

async function largeRows(folder: string): Promise<Row[]> {
  const set = writeLargeSet(folder)
  const ours = await orbweaver(set, LARGE_PARTS, 1, folder)
  const theirs = hasGpmetis() ? await gpmetis(set, LARGE_PARTS, 1, folder) : undefined
  const memory = `${(ours.peakRssBytes / 1e6).toFixed(0)} MB`
  const facts = `${ours.cpuSeconds.toFixed(1)} CPU s, ${memory}, km1 ${ours.km1.toLocaleString('en')}`
  const balance = `imbalance ${percent(Math.max(...ours.imbalance))}`
  const beside = theirs
    ? `; gpmetis ${theirs.cpuSeconds.toFixed(1)} s, km1 ${theirs.km1.toLocaleString('en')}, ` +
      `imbalance ${percent(Math.max(...theirs.imbalance))}`
    : ''
  const isMet = ours.cpuSeconds < LARGE_SECONDS && ours.peakRssBytes < LARGE_BYTES
  const target = `${set.pins.toLocaleString('en')} pins, K = ${LARGE_PARTS}: under ${LARGE_SECONDS} s and 2 GB`
  return [[target, `${facts}, ${balance}${beside}`, verdict(isMet)]]
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
