/**
 * plan/partition/initial/: a small level -> a first placement.
 */
export { growPart } from './grow.js'
