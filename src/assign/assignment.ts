import type { WaitingCell } from '../cluster/index.js'
import type { CellId } from '../model/cell.js'

/** Port: the strategy that says which waiting cells an agent should have. */
export interface Assignment {
  readonly name: string
  /** At most `lanes` of `waiting` (which is in the order of S), best first. */
  pick(waiting: readonly WaitingCell[], agent: string, lanes: number): readonly CellId[]
}
