/** Splits of cells: one transaction on a cell that nobody has leased. */

import { type CellId, childOf, type Epoch, groupBy } from '../../model/index.js'
import type { CellState, ChildCell, InboxRow, Incarnation } from '../index.js'
import { maySplit } from '../rules/index.js'
import { batchesOf, rowsOf } from './row-text.js'
import { numbers } from './sqlite-counters.js'
import { answer, type SqliteDatabase } from './sqlite-database.js'
import { putBatch } from './sqlite-inboxes.js'

/** Batches of an inbox that are moved at a time. */
const BATCHES_AT_ONCE = 20

export function split(
  db: SqliteDatabase,
  cell: CellId,
  epoch: Epoch,
  lastPack: number,
  children: readonly ChildCell[],
): boolean {
  const names = children.map(child => child.cell)
  const [open] = db.first(`SELECT state = 'open' FROM crawl`)!
  const row = db.first('SELECT state, epoch, last_pack, children FROM cell WHERE cell = ?', cell)
  if (!open || !row) return false
  if (row[0] === 'closed') return row[3] === JSON.stringify(names)
  const current = { epoch: Number(row[1]), lastPack: Number(row[2]) }
  if (!maySplit(row[0] as CellState, current, { epoch, lastPack })) return false
  for (const child of children) addChild(db, cell, child)
  moveRows(db, cell, names)
  db.run(
    `UPDATE cell SET state = 'closed', children = ?, discovered = settled, appended = consumed,
       size_estimate = pages WHERE cell = ?`,
    JSON.stringify(names),
    cell,
  )
  return true
}

/** The child continues the epochs of its parent, so that leases of the parent are stale. */
function addChild(db: SqliteDatabase, parent: CellId, { cell, queued }: ChildCell): void {
  db.run(
    `INSERT INTO cell (cell, grp, state, agent, epoch, lease_until, rank, last_pack, appended, consumed, inbox_cursor,
       parked_until, children, discovered, settled, pages, bytes, fetch_ms, first_fetch, last_fetch, size_estimate, parent)
     SELECT ?1, grp, 'waiting', NULL, epoch, lease_until, ?2, last_pack, 0, 0, 0,
       0, NULL, ?3, 0, 0, 0, 0, 0, 0, ?3, cell FROM cell WHERE cell = ?4`,
    cell,
    answer(db, numbers('rank_tail', 1))[0],
    queued,
    parent,
  )
}

/** Moves the unread rows to the children, in the order in which they were sent. */
function moveRows(db: SqliteDatabase, parent: CellId, children: readonly CellId[]): void {
  for (let after = 0; ; ) {
    const batches = db.all(
      `SELECT b.position, b.rows, b.json, c.inbox_cursor, b.sender FROM inbox_batch b JOIN cell c ON c.cell = b.cell
       WHERE b.cell = ? AND b.position > ? ORDER BY b.position LIMIT ?`,
      parent,
      after,
      BATCHES_AT_ONCE,
    )
    if (batches.length === 0) break
    for (const [position, rows, json, cursor, sender] of batches) {
      after = Number(position)
      const batch = { position: after, rows: Number(rows), json: String(json), cursor: Number(cursor) }
      distribute(db, rowsOf([{ ...batch, sender: '' }]), children, Number(sender))
    }
  }
  db.run('DELETE FROM inbox_batch WHERE cell = ?', parent)
}

function distribute(
  db: SqliteDatabase,
  rows: readonly InboxRow[],
  children: readonly CellId[],
  sender: Incarnation,
): void {
  for (const [child, share] of groupBy(rows, ({ url }) => childOf(children, url))) {
    for (const batch of batchesOf(share)) putBatch(db, child, batch, sender)
    db.run('UPDATE cell SET appended = appended + ? WHERE cell = ?', share.length, child)
  }
}
