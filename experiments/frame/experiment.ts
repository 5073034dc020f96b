/**
 * What an experiment is to the command line: how much to do comes in, our figures beside the paper's go out.
 */
import type { Chart } from './chart.js'
import type { Table } from './table.js'

/** `quick` is under a minute, `default` under ten on two cores, `full` has 8 seeds and no limit. */
export type Effort = 'quick' | 'default' | 'full'

export interface RunOptions {
  readonly effort: Effort
  /** The first of them where there are several. */
  readonly seed: number
  /** What goes on, for people. */
  readonly tell: (text: string) => void
}

/** `rows`, `averages` and `paper` are what `--json` prints. */
export interface Findings {
  readonly rows: readonly object[]
  readonly averages: object
  /** The paper's own figures, for the same things. */
  readonly paper: object
  readonly tables: readonly Table[]
  /** What the tables do not say: what was met, what was left out. */
  readonly notes: readonly string[]
  /** Targets that were not met, a line each. */
  readonly missed: readonly string[]
  readonly chart: Chart
}

export interface PaperExperiment {
  readonly name: string
  /** One line for the list. */
  readonly about: string
  /** What it does, for `--help`. */
  readonly help: string
  run(options: RunOptions): Findings | Promise<Findings>
}
