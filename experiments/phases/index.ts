/** experiments/phases/: crawls by phase swapping, without a coordinator. */
export { exclusionIn } from './exclusion.js'
export { PHASE_NODES, type PhaseCrawl, type PhaseCrawlChoices, phasesExperiment } from './experiment.js'
