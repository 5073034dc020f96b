/**
 * Fencing (P6): whether a cell is still held under the epoch that a caller names.
 *
 * Inside SQL: `release`, `finish`, `park` and `rest` of both SQL backends have `isHeldUnder` in their WHERE
 * clause. `test/contract/rules-in-sql.test.ts` compares them. Packs and links are checked in TypeScript.
 */
import type { Epoch } from '../../model/index.js'
import type { CellState } from '../index.js'

function isHeld(state: CellState): boolean {
  return state === 'leased' || state === 'draining'
}

export function isHeldUnder(state: CellState, current: Epoch, named: Epoch): boolean {
  return isHeld(state) && current === named
}

/** A pack carries the number after the last committed one. */
export function isNextPack(lastPack: number, number: number): boolean {
  return lastPack === number - 1
}
