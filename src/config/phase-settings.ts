/** `--phases nodes=4,phases=6,period=5,guard=0.1`: numbers of the plan, and sizes of the bucket (K6, K7). */
import type { Millis } from '../model/index.js'

/** Sizes of KSpider's scheduler; the defaults are those of its paper. */
export interface BucketSizes {
  /** A prime different from the number of phases; otherwise some columns would stay empty. */
  readonly columns: number
  /** Hosts of one column at a time. */
  readonly rows: number
  /** URLs that one connection gets together. */
  readonly list: number
  /** URLs considered at a time. */
  readonly window: number
}

export const BUCKET_SIZES: BucketSizes = { columns: 1_999, rows: 8, list: 20, window: 250_000 }

/** The settings that a user can give; the rest is derived. */
export interface PhaseSettings {
  readonly nodes?: number
  readonly phases?: number
  readonly periodMs?: Millis
  readonly guardMs?: Millis
  readonly bucket?: BucketSizes
}

const MOST_NODES = 1_000

type Name = 'nodes' | 'phases' | 'period' | 'guard' | keyof BucketSizes

/** Least and greatest value of each; seconds may have fractions. */
const WORDS: Readonly<Record<Name, readonly [least: number, most: number]>> = {
  nodes: [1, MOST_NODES],
  phases: [1, MOST_NODES],
  period: [0.1, 86_400],
  guard: [0.001, 3_600],
  columns: [1, 1_000_000],
  rows: [1, 1_000],
  list: [1, 10_000],
  window: [1, 100_000_000],
}

/** Null if the word is valid, otherwise the error. */
export function checkPhaseSetting(word: string): string | null {
  const [name, value, ...rest] = word.split('=')
  if (!Object.hasOwn(WORDS, name) || value === undefined || rest.length > 0)
    return `must be NAME=NUMBER with one of ${Object.keys(WORDS).join(', ')}`
  const [least, most] = WORDS[name as Name]
  const number = Number(value)
  const isSeconds = name === 'period' || name === 'guard'
  if (value.trim() === '' || !(number >= least && number <= most) || !(isSeconds || Number.isInteger(number)))
    return `${name} must be ${isSeconds ? 'seconds' : 'a whole number'} from ${least} to ${most}`
  return null
}

export function readPhaseSettings(
  words: readonly string[],
): PhaseSettings & { readonly bucket: BucketSizes } {
  const given = new Map(words.map(word => [word.split('=')[0], Number(word.split('=')[1])]))
  const ms = (name: Name) => (given.has(name) ? given.get(name)! * 1_000 : undefined)
  const { columns, rows, list, window } = BUCKET_SIZES
  const settings = {
    nodes: given.get('nodes'),
    phases: given.get('phases'),
    periodMs: ms('period'),
    guardMs: ms('guard'),
  }
  return {
    ...(Object.fromEntries(
      Object.entries(settings).filter(([, value]) => value !== undefined),
    ) as PhaseSettings),
    bucket: {
      columns: given.get('columns') ?? columns,
      rows: given.get('rows') ?? rows,
      list: given.get('list') ?? list,
      window: given.get('window') ?? window,
    },
  }
}
