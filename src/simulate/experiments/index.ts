/**
 * experiments/: the tables of the papers, done again.
 * In: a seed and a size. Out: our figures beside the paper's. How a crawl is run comes in from outside.
 */
export { laneTimes, simulateCrawl } from './balance-crawl.js'
export {
  AGENTS,
  type Balance,
  balanceKnobs,
  balanceOf,
  balanceWeb,
  type KnownSite,
  LANES_PER_AGENT,
  METHODS,
  type Method,
  PAGES,
  startingOrder,
} from './dynamic-balance.js'
export { type MeanBalance, overSeeds } from './many-seeds.js'
