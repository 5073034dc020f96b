import type { WaitingCell } from '../cluster/index.js'
import type { CellId } from '../model/cell.js'
import type { Assignment } from './assignment.js'

/** A free lane takes the head of S (D15): all that is needed while there is one agent. */
export class HeadOfS implements Assignment {
  readonly name = 'dynamic'

  pick(waiting: readonly WaitingCell[], _agent: string, lanes: number): readonly CellId[] {
    return waiting.slice(0, lanes).map(cell => cell.cell)
  }
}
