/**
 * plan/partition/initial/: a small level -> a first placement.
 */
export { fillEmptyParts } from './fill-empty-parts.js'
export { growPart } from './grow.js'
