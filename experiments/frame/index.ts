/**
 * frame/: what all experiments have in common. In: an experiment's findings. Out: tables beside the paper's,
 * and a chart for docs/explanation/experiments/.
 */
export { type Chart, chartSvg, type Series } from './chart.js'
export type { Effort, Findings, PaperExperiment, RunOptions } from './experiment.js'
export { mean, meanRow } from './mean.js'
export { type Table, tableLines } from './table.js'
