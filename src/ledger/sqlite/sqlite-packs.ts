/** Packs: the one transaction that acknowledges pages, and the checks that fence off stale leases. */
import { type CellId, siteOfCell } from '../../model/index.js'
import type { CellState, CommitResult, Incarnation, MetaFacts, PackCell } from '../index.js'
import { isHeldUnder, isNextPack } from '../rules/index.js'
import { addWork, isCrawlOpen, isIncarnationOpen, saveFiles, saveWaits } from '../sql/index.js'
import type { TextAppend, TextLinkBatch, TextPack } from './row-text.js'
import { answer, type Row, type SqliteDatabase } from './sqlite-database.js'
import { addRows } from './sqlite-inboxes.js'

export function commit(db: SqliteDatabase, pack: TextPack): CommitResult {
  if (db.first('SELECT 1 FROM pack WHERE id = ?', pack.id)) return { status: 'committed' }
  const refusal = refusalOf(db, pack, pack.cells, isCurrent)
  if (refusal) return refusal
  const pages = pack.cells.reduce((sum, cell) => sum + cell.pages, 0)
  db.run('INSERT INTO pack VALUES (?, ?, ?, ?)', pack.id, pack.incarnation, db.now, pages)
  for (const cell of pack.cells) commitCell(db, pack.id, cell)
  addRows(db, pack.appends, pack.incarnation)
  answer(db, saveFiles(pack.files, pack.incarnation))
  answer(db, saveWaits(pack.waits))
  answer(db, addWork(pack))
  return { status: 'committed' }
}

export function appendLinks(db: SqliteDatabase, batch: TextLinkBatch): CommitResult {
  const refusal = refusalOf(db, batch, batch.sources, isHeld)
  if (refusal) return refusal
  addRows(db, batch.appends, batch.incarnation)
  return { status: 'committed' }
}

type SourceCell = Pick<PackCell, 'cell' | 'epoch'>

function refusalOf<PackCellRow extends SourceCell>(
  db: SqliteDatabase,
  { incarnation, appends }: { readonly incarnation: Incarnation; readonly appends: readonly TextAppend[] },
  cells: readonly PackCellRow[],
  isOurs: (cell: PackCellRow, row: Row | undefined) => boolean,
): CommitResult | null {
  if (!answer(db, isIncarnationOpen(incarnation))) return { status: 'refused', why: 'incarnation-closed' }
  if (!answer(db, isCrawlOpen())) return { status: 'refused', why: 'crawl-closed' }
  const rows = rowsByCell(
    db,
    cells.map(({ cell }) => cell),
  )
  const stale = cells.filter(cell => !isOurs(cell, rows.get(cell.cell))).map(cell => cell.cell)
  if (stale.length > 0) return { status: 'stale', cells: stale }
  const moved = movedCells(
    db,
    appends.map(({ cell }) => cell),
  )
  return moved.length > 0 ? { status: 'moved', cells: moved } : null
}

/**
 * One statement for all cells: the overhead of a statement is as large as the cost of looking up one cell.
 */
function rowsByCell(db: SqliteDatabase, cells: readonly CellId[]): ReadonlyMap<CellId, Row> {
  const rows = db.all(
    `SELECT cell, epoch, last_pack, state FROM cell WHERE cell IN (SELECT value FROM json_each(?))`,
    JSON.stringify(cells),
  )
  return new Map(rows.map(row => [String(row[0]), row]))
}

/** Those of `cells` that were split, with the cells that replace them. */
function movedCells(db: SqliteDatabase, cells: readonly CellId[]): { cell: CellId; children: CellId[] }[] {
  const rows = db.all(
    `SELECT cell, children FROM cell WHERE cell IN (SELECT value FROM json_each(?)) AND state = 'closed'`,
    JSON.stringify(cells),
  )
  return rows.map(([cell, children]) => ({
    cell: String(cell),
    children: JSON.parse(String(children)) as CellId[],
  }))
}

function isCurrent(cell: PackCell, row: Row | undefined): boolean {
  return isHeld(cell, row) && isNextPack(Number(row?.[2]), cell.number)
}

function isHeld(cell: SourceCell, row: Row | undefined): boolean {
  if (!row) return false
  const [, epoch, , state] = row
  return isHeldUnder(state as CellState, Number(epoch), cell.epoch)
}

function commitCell(db: SqliteDatabase, pack: string, cell: PackCell): void {
  db.run(
    'INSERT INTO pack_cell VALUES (?, ?, ?, ?, ?)',
    cell.cell,
    cell.number,
    pack,
    cell.epoch,
    cell.journal,
  )
  db.run(
    `UPDATE cell SET last_pack = ?, consumed = consumed + ?, inbox_cursor = max(inbox_cursor, ?),
       discovered = discovered + ?, settled = settled + ?, pages = pages + ?, bytes = bytes + ?, fetch_ms = fetch_ms + ?,
       first_fetch = CASE first_fetch WHEN 0 THEN ? ELSE first_fetch END, last_fetch = max(last_fetch, ?)
     WHERE cell = ?`,
    cell.number,
    cell.consumed,
    cell.cursor,
    cell.discovered,
    cell.settled,
    cell.pages,
    cell.bytes,
    Math.round(cell.fetchMs),
    Math.round(cell.firstFetch),
    Math.round(cell.lastFetch),
    cell.cell,
  )
  if (cell.consumed > 0)
    db.run('DELETE FROM inbox_batch WHERE cell = ? AND position <= ?', cell.cell, cell.cursor)
  for (const outcome of cell.outcomes)
    db.run(
      `INSERT INTO cell_outcome VALUES (?, ?, ?, ?)
       ON CONFLICT (cell, code) DO UPDATE SET count = count + excluded.count, detail = excluded.detail`,
      cell.cell,
      outcome.code,
      outcome.count,
      outcome.detail,
    )
}

export function saveFacts(db: SqliteDatabase, rows: readonly MetaFacts[]): void {
  for (const { cell, url, digest, facts } of rows)
    db.run(
      'UPDATE meta_info SET facts = ? WHERE cell = ? AND url = ? AND digest = ?',
      facts,
      siteOfCell(cell),
      url,
      digest,
    )
}
