/** Splits of cells in memory. */

import { type CellId, childOf, type Epoch, type Millis, siteOfCell } from '../../model/index.js'
import type { ChildCell } from '../index.js'
import { maySplit } from '../rules/index.js'
import type { CellRow, MemoryState } from './memory-state.js'

export function splitCell(
  state: MemoryState,
  cell: CellId,
  epoch: Epoch,
  lastPack: number,
  children: readonly ChildCell[],
): boolean {
  const row = state.cells.get(cell)
  if (!row || !state.open) return false
  const names = children.map(child => child.cell)
  if (row.state === 'closed') return row.children?.join(' ') === names.join(' ')
  if (!maySplit(row.state, row, { epoch, lastPack })) return false
  const rows = new Map<CellId, CellRow>()
  for (const child of children) rows.set(child.cell, addChild(state, row, child))
  if (state.keeps('rows-move')) moveRows(row, rows)
  row.children = names
  row.discovered = row.settled
  row.appended = row.consumed
  row.inbox = null
  row.sizeEstimate = row.pages
  state.move(row, 'closed')
  return true
}

function addChild(state: MemoryState, parent: CellRow, { cell, queued }: ChildCell): CellRow {
  const row = state.addCell(cell, parent.group)
  row.epoch = parent.epoch
  row.leaseUntil = parent.leaseUntil
  row.discovered = queued
  row.sizeEstimate = queued
  if (!state.keeps('children-inherit')) return row
  row.parent = parent
  row.lastPack = parent.lastPack
  row.inherited = parent.lastPack
  return row
}

function moveRows(parent: CellRow, children: ReadonlyMap<CellId, CellRow>): void {
  const names = [...children.keys()]
  for (const unread of parent.inbox ?? []) {
    const row = children.get(childOf(names, unread.url))!
    row.inbox ??= []
    row.inbox.push(unread)
    row.appended++
  }
}

/** The end of the last lease of any released cell of the site: its cells share one delay. */
export function lastLeaseOf(state: MemoryState, row: CellRow): Millis {
  let until = row.leaseUntil
  const site = siteOfCell(row.cell)
  if (site === row.cell) return until
  for (const other of state.cellsOf(site)) if (other.agent === null) until = Math.max(until, other.leaseUntil)
  return until
}
