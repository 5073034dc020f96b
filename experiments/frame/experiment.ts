/** The interface between an experiment and its command. */
import type { Chart } from './chart.js'
import type { Table } from './table.js'

/** `quick` is under a minute, `default` under ten on two cores, `full` has 8 seeds and no limit. */
export type Effort = 'quick' | 'default' | 'full'

export interface RunOptions {
  readonly effort: Effort
  /** The first seed if there are several. */
  readonly seed: number
  /** Reports progress. */
  readonly tell: (text: string) => void
}

/** `rows`, `averages` and `paper` are what `--json` prints. */
export interface Findings {
  readonly rows: readonly object[]
  readonly averages: object
  /** The paper's figures for the same quantities. */
  readonly paper: object
  readonly tables: readonly Table[]
  /** Remarks printed below the tables. */
  readonly notes: readonly string[]
  /** Targets that were not met, one line each. */
  readonly missed: readonly string[]
  readonly chart: Chart
}

export interface PaperExperiment {
  readonly name: string
  /** One line for the list of experiments. */
  readonly about: string
  /** The text of `--help`. */
  readonly help: string
  run(options: RunOptions): Findings | Promise<Findings>
}
