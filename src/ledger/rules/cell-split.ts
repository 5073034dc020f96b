/** When a cell may be split. Decided in TypeScript by every backend. */
import type { Epoch } from '../../model/index.js'
import type { CellState } from '../index.js'

interface Counted {
  readonly epoch: Epoch
  readonly lastPack: number
}

/** Nobody has leased the cell, and neither a lease nor a pack came since its children were counted. */
export function maySplit(state: CellState, current: Counted, counted: Counted): boolean {
  return (
    (state === 'waiting' || state === 'resting') &&
    current.epoch === counted.epoch &&
    current.lastPack === counted.lastPack
  )
}
