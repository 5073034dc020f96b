/** experiments/sire/: multi-objective graph partitioning of sites by links, distance and change. */
export { sireExperiment } from './experiment.js'
