/**
 * The partitioner beside gpmetis (Debian package `metis`, where installed), both judged by the checker. Seeds
 * 1 to 3 averaged, or seed 1 alone (`npm run bench -- partition quick`), or the sets that are named.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FAST_HEAD, fastCells } from './partition/fast.js'
import {
  average,
  gpmetis,
  hasGpmetis,
  isBalanced,
  type Made,
  orbweaver,
  worstImbalance,
} from './partition/partitioners.js'
import { type BenchSet, partCounts, presentSets, QUALITY_SECONDS } from './partition/sets.js'
import { type Measured, targetRows } from './partition/targets.js'
import { markdownTable } from './report/markdown.js'

const HEAD = [
  'set',
  'preset',
  'K',
  'km1',
  'at most',
  'verdict',
  'imbalance',
  'bound',
  'CPU s',
  'gpmetis km1',
  'its imbalance',
  'its CPU s',
]

async function main(words: readonly string[]): Promise<void> {
  const seeds = words.includes('quick') ? [1] : [1, 2, 3]
  const named = words.filter(word => word !== 'quick')
  const sets = presentSets().filter(set => named.length === 0 || named.includes(set.name))
  if (!hasGpmetis()) console.error('gpmetis is not installed (apt-get install metis): ours alone')
  const folder = await mkdtemp(join(tmpdir(), 'orbweaver-partition-'))
  try {
    const measured: Measured[] = []
    for (const set of sets) measured.push(...(await measureSet(set, seeds, folder)))
    if (measured.length > 0) console.log(`${markdownTable(HEAD, measured.map(tableRow))}\n`)
    const plain = measured.filter(each => each.preset === 'default')
    if (plain.length > 0) console.log(`${markdownTable(FAST_HEAD, plain.map(fastCells))}\n`)
    const targets = await targetRows(measured, sets, seeds, named.length === 0, folder)
    if (targets.length > 0) console.log(markdownTable(['target', 'measured', 'verdict'], targets))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureSet(set: BenchSet, seeds: readonly number[], folder: string): Promise<Measured[]> {
  const measured: Measured[] = []
  for (const k of partCounts(set.limits)) {
    const theirs = hasGpmetis() ? await forSeeds(seeds, seed => gpmetis(set, k, seed, folder)) : []
    const ours: Made[] = []
    const fast: Made[] = []
    for (const seed of seeds) {
      // One right after the other: the machine's speed moves by half within minutes.
      ours.push(await orbweaver(set, k, seed, folder))
      fast.push(await orbweaver(set, k, seed, folder, ['--preset', 'fast']))
    }
    measured.push({ set, k, preset: 'default', limit: set.limits[k], ours, fast, theirs })
    const qualityLimit = set.qualityLimits?.[k]
    if (qualityLimit === undefined) continue
    // Without --time-limit: on a busy machine that would cut it short. Its CPU time is what must stay below.
    const best = await forSeeds(seeds, seed => orbweaver(set, k, seed, folder, ['--preset', 'quality']))
    measured.push({ set, k, preset: 'quality', limit: qualityLimit, ours: best, fast: [], theirs })
  }
  return measured
}

/** One after the other: each has the machine to itself. */
async function forSeeds(seeds: readonly number[], make: (seed: number) => Promise<Made>): Promise<Made[]> {
  const runs: Made[] = []
  for (const seed of seeds) runs.push(await make(seed))
  return runs
}

function tableRow({ set, k, preset, limit, ours, theirs }: Measured): string[] {
  const km1 = average(ours, run => run.km1)
  const isInTime = preset !== 'quality' || ours.every(run => run.cpuSeconds <= QUALITY_SECONDS)
  const isMet = km1 <= limit && ours.every(isBalanced) && isInTime
  const row = [
    set.name,
    preset,
    `${k}`,
    figure(km1),
    figure(limit),
    isMet ? 'met' : '**missed**',
    percent(worstImbalance(ours)),
    percent(Math.max(...ours[0].imbalanceBound)),
    average(ours, run => run.cpuSeconds).toFixed(2),
  ]
  console.error(row.join('  '))
  if (theirs.length === 0) return [...row, '-', '-', '-']
  const theirKm1 = figure(average(theirs, run => run.km1))
  return [
    ...row,
    theirKm1,
    percent(worstImbalance(theirs)),
    average(theirs, run => run.cpuSeconds).toFixed(2),
  ]
}

function figure(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

await main(process.argv.slice(2))
