/**
 * frame/: the common part of all experiments. In: the findings of an experiment. Out: tables beside the
 * paper's, and a chart.
 */
export { type Chart, chartSvg, type Series } from './chart.js'
export type { Effort, Findings, PaperExperiment, RunOptions } from './experiment.js'
export { mean, meanRow } from './mean.js'
export { percent, slashed, type Table, tableLines, tableOf, thousands } from './table.js'
