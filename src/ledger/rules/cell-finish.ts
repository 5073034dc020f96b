/**
 * When a cell is finished: a test on its row alone. A query over the inbox would miss an append that
 * commits meanwhile.
 *
 * Inside SQL: the condition is part of the locking read. `test/contract/rules-in-sql.test.ts` compares them.
 */
import type { Epoch } from '../../model/index.js'
import type { CellState } from '../index.js'
import { isHeldUnder } from './lease-fence.js'

interface FinishingCell {
  readonly state: CellState
  readonly epoch: Epoch
  /** Rows of its inbox, ever, and those of them that committed packs have consumed. */
  readonly appended: number
  readonly consumed: number
}

export function mayFinish({ state, epoch, appended, consumed }: FinishingCell, named: Epoch): boolean {
  return isHeldUnder(state, epoch, named) && appended === consumed
}
