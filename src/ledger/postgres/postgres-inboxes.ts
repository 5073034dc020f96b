/**
 * Inboxes: links on their way into cells. With many writers, a number drawn first may be committed last, and
 * a reader that has passed it would never see its row. So a position is (x, seq) in one number: x is the
 * number of the writer's transaction, counted from the beginning of the era, and seq the row's place among
 * those that the transaction adds to the cell. Only rows below the oldest open transaction are read: no more
 * rows can be committed there.
 */

import { type CellId, type Clock, sleep } from '../../model/index.js'
import type { Append, InboxRow, Incarnation } from '../index.js'
import { POSTGRES_INBOXES_MOST_READS, POSTGRES_INBOXES_RETRY_MS } from '../limits.js'
import { isCrawlOpen, type Row } from '../sql/index.js'
import { textArray } from './postgres-connection.js'
import { numbers } from './postgres-counters.js'
import { ROWS_PER_WRITER } from './postgres-crawls.js'
import { answer, type PostgresDatabase, type Transaction } from './postgres-database.js'

/** The sender of seeds and of rows of a previous crawl. */
const NO_SENDER: Incarnation = 0
/** Bounds the transactions of a long seed list or of a previous crawl. */
const ROWS_PER_APPEND = 20_000

/**
 * Returns false once the crawl is closed. Uses several transactions: if the call is repeated after a failure,
 * the seen-set drops the rows that were added before.
 */
export async function append(db: PostgresDatabase, appends: readonly Append[]): Promise<boolean> {
  for (const part of inParts(appends)) {
    const isTaken = await db.transaction(async tx => {
      if (!(await answer(tx, isCrawlOpen()))) return false
      const there = await tx.all(
        'SELECT state FROM cell WHERE cell = ANY($1::text[]) ORDER BY cell FOR UPDATE',
        textArray(part.map(({ cell }) => cell)),
      )
      if (there.some(([state]) => state === 'closed')) return false
      await addRows(tx, part, NO_SENDER)
      return true
    })
    if (!isTaken) return false
  }
  return true
}

function* inParts(appends: readonly Append[]): Generator<readonly Append[]> {
  let part: Append[] = []
  let rows = 0
  for (const { cell, group, rows: all } of appends) {
    for (let from = 0; from < all.length || from === 0; from += ROWS_PER_APPEND) {
      const some = all.slice(from, from + ROWS_PER_APPEND)
      if (rows + some.length > ROWS_PER_APPEND) {
        yield part
        part = []
        rows = 0
      }
      part.push({ cell, group, rows: some })
      rows += some.length
    }
  }
  // An append without rows also finds out whether the crawl is open.
  yield part
}

export async function readInbox(
  db: PostgresDatabase,
  clock: Clock,
  cell: CellId,
  after: number,
  limit: number,
): Promise<InboxRow[]> {
  for (let reads = 1; ; reads++) {
    const rows = await db.all(READ, cell, after, limit)
    const hidden = rows.findIndex(row => row[7] !== true)
    const settled = hidden < 0 ? rows : rows.slice(0, hidden)
    if (settled.length > 0 || hidden < 0 || reads === POSTGRES_INBOXES_MOST_READS)
      return settled.map(inboxRow)
    await sleep(clock, POSTGRES_INBOXES_RETRY_MS)
  }
}

const READ = `SELECT i.position, i.url, i.depth, i.hops, i.score, i.via, a.name, i.position < limits.horizon
  FROM (SELECT (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - first_x) * ${ROWS_PER_WRITER} AS horizon
        FROM crawl) AS limits, inbox i LEFT JOIN agent a ON a.incarnation = i.sender
  WHERE i.cell = $1 AND i.position > $2 ORDER BY i.position LIMIT $3`

function inboxRow([position, url, depth, hops, score, via, sender]: Row): InboxRow {
  return {
    position: Number(position),
    url: String(url),
    depth: Number(depth),
    hops: Number(hops),
    score: Number(score),
    via: String(via),
    sender: sender === null ? '' : String(sender),
  }
}

/** Existing target cells must be locked. */
export async function addRows(
  tx: Transaction,
  appends: readonly Append[],
  sender: Incarnation,
): Promise<void> {
  if (appends.length === 0) return
  await countRows(tx, appends)
  await insertRows(tx, appends, sender)
}

/**
 * The update that counts the rows of a cell also turns a finished cell to waiting. New cells go to the tail
 * of the queue (D19) in the order of arrival; rows of the table are locked in the order of cells.
 */
async function countRows(tx: Transaction, appends: readonly Append[]): Promise<void> {
  const targets = new Map<CellId, { readonly group: string; rows: number; rank: number }>()
  for (const { cell, group, rows } of appends) {
    const known = targets.get(cell)
    if (known) known.rows += rows.length
    else targets.set(cell, { group, rows: rows.length, rank: 0 })
  }
  const names = textArray([...targets.keys()])
  const there = new Set(
    (await tx.all('SELECT cell FROM cell WHERE cell = ANY($1::text[])', names)).map(([cell]) => String(cell)),
  )
  const fresh = [...targets].filter(([cell]) => !there.has(cell))
  const ranks = await answer(tx, numbers('rank_tail', fresh.length))
  for (const [i, [, target]] of fresh.entries()) target.rank = ranks[i]
  const sorted = [...targets].sort(([a], [b]) => (a < b ? -1 : 1))
  await tx.run(
    `INSERT INTO cell (cell, grp, rank, appended, state, agent, epoch, lease_until, last_pack, consumed, inbox_cursor,
       parked_until, children, discovered, settled, pages, bytes, fetch_ms, first_fetch, last_fetch, size_estimate)
     SELECT target.*, 'waiting', NULL, 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0
     FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS target
     ON CONFLICT (cell) DO UPDATE SET appended = cell.appended + excluded.appended,
       state = CASE cell.state WHEN 'finished' THEN 'waiting' ELSE cell.state END`,
    textArray(sorted.map(([cell]) => cell)),
    textArray(sorted.map(([, { group }]) => group)),
    sorted.map(([, { rank }]) => rank),
    sorted.map(([, { rows }]) => rows),
  )
}

async function insertRows(tx: Transaction, appends: readonly Append[], sender: Incarnation): Promise<void> {
  const last = new Map<CellId, number>()
  const cells: string[] = []
  const places: number[] = []
  for (const { cell, rows } of appends) {
    let place = last.get(cell) ?? 0
    for (let i = 0; i < rows.length; i++) {
      cells.push(cell)
      places.push(++place)
    }
    if (place >= ROWS_PER_WRITER) throw new RangeError(`${place} rows for ${cell} in one transaction`)
    last.set(cell, place)
  }
  const rows = appends.flatMap(append => append.rows)
  await tx.run(
    `INSERT INTO inbox (cell, position, url, depth, hops, score, via, sender)
     SELECT r.cell, writer.base + r.place, r.url, r.depth, r.hops, r.score, r.via, $8
     FROM (SELECT (pg_current_xact_id()::text::bigint - first_x) * ${ROWS_PER_WRITER} AS base FROM crawl) AS writer,
       unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::float8[], $7::text[])
         AS r (cell, place, url, depth, hops, score, via)`,
    textArray(cells),
    places,
    textArray(rows.map(({ url }) => url)),
    rows.map(({ depth }) => depth),
    rows.map(({ hops }) => hops),
    rows.map(({ score }) => score),
    textArray(rows.map(({ via }) => via)),
    sender,
  )
}
