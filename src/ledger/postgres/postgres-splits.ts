/** Splits of cells: one transaction on a cell that nobody has leased. */

import { type CellId, childOf, type Epoch } from '../../model/index.js'
import type { CellState, ChildCell } from '../index.js'
import { maySplit } from '../rules/index.js'
import { isCrawlOpen } from '../sql/index.js'
import { textArray } from './postgres-connection.js'
import { numbers } from './postgres-counters.js'
import { answer, type Transaction } from './postgres-database.js'

/** Rows of an inbox that are moved at a time. */
const ROWS_AT_ONCE = 10_000

/** Locks the parent: a parallel append has committed before, or finds the parent closed. */
export async function split(
  tx: Transaction,
  cell: CellId,
  epoch: Epoch,
  lastPack: number,
  children: readonly ChildCell[],
): Promise<boolean> {
  if (!(await answer(tx, isCrawlOpen()))) return false
  const names = children.map(child => child.cell)
  const row = await tx.first(
    'SELECT state, epoch, last_pack, children FROM cell WHERE cell = $1 FOR UPDATE',
    cell,
  )
  if (!row) return false
  if (row[0] === 'closed') return row[3] === JSON.stringify(names)
  const current = { epoch: Number(row[1]), lastPack: Number(row[2]) }
  if (!maySplit(row[0] as CellState, current, { epoch, lastPack })) return false
  await addChildren(tx, cell, children)
  await moveRows(tx, cell, names)
  await tx.run(
    `UPDATE cell SET state = 'closed', children = $2, discovered = settled, appended = consumed,
       size_estimate = pages WHERE cell = $1`,
    cell,
    JSON.stringify(names),
  )
  return true
}

/** The children continue the epochs of their parent, so that leases of the parent are stale. */
async function addChildren(tx: Transaction, parent: CellId, children: readonly ChildCell[]): Promise<void> {
  await tx.run(
    `INSERT INTO cell (cell, grp, state, agent, epoch, lease_until, rank, last_pack, appended, consumed, inbox_cursor,
       parked_until, children, discovered, settled, pages, bytes, fetch_ms, first_fetch, last_fetch, size_estimate, parent)
     SELECT child.name, p.grp, 'waiting', NULL, p.epoch, p.lease_until, child.rank, p.last_pack, 0, 0, 0,
       0, NULL, child.queued, 0, 0, 0, 0, 0, 0, child.queued, p.cell
     FROM cell p, unnest($2::text[], $3::bigint[], $4::bigint[]) AS child (name, rank, queued) WHERE p.cell = $1`,
    parent,
    textArray(children.map(({ cell }) => cell)),
    await answer(tx, numbers('rank_tail', children.length)),
    children.map(({ queued }) => queued),
  )
}

/** Rows keep their positions, which are below those of all rows that are sent to a child later. */
async function moveRows(tx: Transaction, parent: CellId, children: readonly CellId[]): Promise<void> {
  for (;;) {
    const rows = await tx.all(
      'SELECT position, url FROM inbox WHERE cell = $1 ORDER BY position LIMIT $2',
      parent,
      ROWS_AT_ONCE,
    )
    if (rows.length === 0) return
    await tx.run(
      `WITH moved AS (UPDATE inbox SET cell = row.child FROM unnest($2::bigint[], $3::text[]) AS row (place, child)
                      WHERE cell = $1 AND position = row.place RETURNING row.child),
         counted AS (SELECT child, count(*) AS rows FROM moved GROUP BY child)
       UPDATE cell SET appended = appended + counted.rows FROM counted WHERE cell = counted.child`,
      parent,
      rows.map(([position]) => Number(position)),
      textArray(rows.map(([, url]) => childOf(children, String(url)))),
    )
  }
}
