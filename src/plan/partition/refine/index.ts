/**
 * plan/partition/refine/: a placement -> a better one within the caps.
 */
export { refineByMoves } from './fm.js'
export { refineByLabels } from './label-propagation.js'
export { rebalance } from './rebalance.js'
export { untangle } from './untangle.js'
