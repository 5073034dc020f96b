/**
 * experiments/: the tables of the papers, done again.
 * In: a seed and a size. Out: our figures beside the paper's. How a crawl is run comes in from outside.
 */
export {
  assignmentsExperiment,
  type CrawlChoices,
  type CrawlFigures,
  type CrawlWeb,
} from './assignments/experiment.js'
export { simulateCrawl } from './balance-crawl.js'
export {
  AGENTS,
  type Balance,
  balanceKnobs,
  balanceOf,
  balanceWeb,
  type KnownSite,
  LANES_PER_AGENT,
  laneTimes,
  METHODS,
  type Method,
  PAGES,
  sitesOf,
  sizeFor,
  startingOrder,
} from './dynamic-balance.js'
export { hypergraphExperiment } from './hypergraph/experiment.js'
export type { GraphPartitioner, WeightedGraph } from './hypergraph/star-graph.js'
export { type MeanBalance, overSeeds } from './many-seeds.js'
export { exclusionIn } from './phases/exclusion.js'
export {
  PHASE_NODES,
  type PhaseCrawl,
  type PhaseCrawlChoices,
  phasesExperiment,
} from './phases/experiment.js'
export { sireExperiment } from './sire/experiment.js'
