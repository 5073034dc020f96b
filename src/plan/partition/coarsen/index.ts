/**
 * plan/partition/coarsen/: a level -> a smaller level with the same structure.
 */
export { cluster } from './coarsen.js'
export { communities } from './community.js'
export { contract, contractNets, extract } from './contract.js'
