/** What is partitioned, and what is asked of it: the figures of issue 4, as data. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export interface BenchSet {
  readonly name: string
  readonly file: string
  readonly weights?: string
  /** Parts, and the km1 that the default preset may need at most. */
  readonly limits: Readonly<Record<number, number>>
  /** The same for `quality`, within `QUALITY_SECONDS` of CPU. */
  readonly qualityLimits?: Readonly<Record<number, number>>
  /**
   * How gpmetis, which knows graphs only, gets it: web pages link from their first site; netlists have no
   * source.
   */
  readonly expansion: 'star' | 'clique'
}

export const EPSILON = 0.05
export const QUALITY_SECONDS = 60

/** Beside the repository; not part of it. */
const DATA = join(import.meta.dirname, '..', '..', '..', 'shared', 'data', 'partition')

const SETS: readonly BenchSet[] = [
  {
    ...files('google', true),
    limits: { 4: 17_000, 16: 23_600, 32: 30_500, 64: 43_500 },
    expansion: 'star',
  },
  {
    ...files('in2004', true),
    limits: { 4: 36_600, 16: 66_000, 32: 87_000, 64: 110_000 },
    expansion: 'star',
  },
  { ...files('california', true), limits: { 4: 1_730, 16: 3_720, 64: 5_600 }, expansion: 'star' },
  {
    ...files('ibm01', false),
    limits: { 4: 580, 16: 1_580, 64: 3_320 },
    qualityLimits: { 4: 560, 16: 1_530, 64: 3_200 },
    expansion: 'clique',
  },
  { ...files('ibm05', false), limits: { 16: 8_330 }, qualityLimits: { 16: 8_100 }, expansion: 'clique' },
]

function files(name: string, isWeighted: boolean): Pick<BenchSet, 'name' | 'file' | 'weights'> {
  const file = join(DATA, `${name}.hgr`)
  return isWeighted ? { name, file, weights: join(DATA, `${name}.vw`) } : { name, file }
}

/** The sets whose files are there; the others are named on stderr. */
export function presentSets(): readonly BenchSet[] {
  return SETS.filter(set => {
    const isThere = existsSync(set.file)
    if (!isThere) console.error(`Skipped ${set.name}: there is no ${set.file}`)
    return isThere
  })
}

export function partCounts(limits: Readonly<Record<number, number>>): number[] {
  return Object.keys(limits).map(Number)
}
