export interface FmLimits {
  readonly rounds: number
  /** Vertices a local search starts from. */
  readonly seeds: number
  /** Moves without a new best after which a search gives up at the latest. */
  readonly patience: number
  /** A round ends when searches without a gain have touched so many pins in a row, per pin of the level. */
  readonly fruitless: number
  /** A round that gains less than this share of the objective is the last. */
  readonly worthwhile: number
}

export type PresetName = 'fast' | 'default' | 'quality'

/** How much is tried, as data. */
export interface Effort {
  /** The coarsest level has about this many vertices per part, but at least `coarsestSize`. */
  readonly coarsestPerPart: number
  readonly coarsestSize: number
  /** Heaviest cluster, in average vertices of the coarsest level. */
  readonly clusterWeight: number
  /** A level has at least 1 / shrink of the vertices of the one before. */
  readonly shrink: number
  readonly maxNetSize: number
  /** Caps of coarse levels are wider than the exact ones by so many of their average vertices. */
  readonly coarseSlack: number
  readonly labelRounds: number
  readonly fm: FmLimits
  /** Levels with more pairs of a vertex and a part are refined by labels alone. */
  readonly fmPairs: number
  /** Partitions made of the coarsest level, shared out over the parts; one at least. */
  readonly initialTries: number
  /** Vertices of the coarsest level of a bisection. */
  readonly bisectionSize: number
  readonly bisectionTries: number
  /** With few parts there are few bisections, and each gets its share of so many tries if that is more. */
  readonly bisectionTriesInAll: number
  readonly bisectionFm: FmLimits
  readonly bisectionShrink: number
  /** `clusterWeight` of a bisection. */
  readonly bisectionClusterWeight: number
  /** The preset that runs first and whose population this one starts with: so the result is never worse. */
  readonly after: 'default' | null
  /** Partitions kept to breed from. */
  readonly population: number
  /** Share of the budget for partitions from scratch. */
  readonly scratchShare: number
  /** Work (pins touched) to spend in all; one partition is made whatever it costs. */
  readonly budget: number
  /** Runs in all, and runs without a better partition, after which it ends whatever is left of the budget. */
  readonly maxRuns: number
  readonly patience: number
}

const UNBOUNDED = Number.POSITIVE_INFINITY

export const presets: Readonly<Record<PresetName, Effort>> = {
  fast: {
    coarsestPerPart: 8,
    coarsestSize: 160,
    clusterWeight: 1.5,
    shrink: 4,
    maxNetSize: 300,
    coarseSlack: 0,
    labelRounds: 3,
    fm: { rounds: 1, seeds: 20, patience: 100, fruitless: UNBOUNDED, worthwhile: 0.01 },
    fmPairs: 2 ** 16,
    initialTries: 1,
    bisectionSize: 60,
    bisectionTries: 3,
    bisectionTriesInAll: 18,
    bisectionFm: { rounds: 1, seeds: 1000, patience: 50, fruitless: UNBOUNDED, worthwhile: 0.01 },
    bisectionShrink: 4,
    bisectionClusterWeight: 1.5,
    after: null,
    population: 1,
    scratchShare: 1,
    budget: 0,
    maxRuns: 1,
    patience: 1,
  },
  default: {
    coarsestPerPart: 20,
    coarsestSize: 200,
    clusterWeight: 3,
    shrink: 2,
    maxNetSize: 500,
    coarseSlack: 1,
    labelRounds: 3,
    fm: { rounds: 10, seeds: 20, patience: 300, fruitless: 0.25, worthwhile: 0.004 },
    fmPairs: UNBOUNDED,
    initialTries: 16,
    bisectionSize: 60,
    bisectionTries: 10,
    bisectionTriesInAll: 0,
    bisectionFm: { rounds: 3, seeds: 1000, patience: 100, fruitless: UNBOUNDED, worthwhile: 0.01 },
    bisectionShrink: 2,
    bisectionClusterWeight: 4,
    after: null,
    population: 10,
    scratchShare: 0.7,
    budget: 110e6,
    maxRuns: 100,
    patience: 20,
  },
  quality: {
    coarsestPerPart: 24,
    coarsestSize: 240,
    clusterWeight: 1.5,
    shrink: 1.5,
    maxNetSize: 1000,
    coarseSlack: 1,
    labelRounds: 3,
    fm: { rounds: 10, seeds: 10, patience: 300, fruitless: 0.25, worthwhile: 0.002 },
    fmPairs: UNBOUNDED,
    initialTries: 16,
    bisectionSize: 60,
    bisectionTries: 12,
    bisectionTriesInAll: 0,
    bisectionFm: { rounds: 3, seeds: 1000, patience: 100, fruitless: UNBOUNDED, worthwhile: 0.01 },
    bisectionShrink: 2,
    bisectionClusterWeight: 1.5,
    after: 'default',
    population: 40,
    scratchShare: 0.4,
    budget: 900e6,
    maxRuns: 600,
    patience: 160,
  },
}
