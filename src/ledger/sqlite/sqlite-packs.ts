/** Packs: the one transaction that acknowledges pages, and the checks that fence off stale leases. */
import { type CellId, type MetaInfo, siteOfCell } from '../../model/index.js'
import type { CellState, CommitResult, Incarnation, MetaFacts, PackCell } from '../index.js'
import { isHeldUnder, isNextPack } from '../rules/index.js'
import { addReceived, isIncarnationOpen, saveFiles } from '../sql/index.js'
import type { TextAppend, TextLinkBatch, TextPack } from './row-text.js'
import { answer, type Row, type SqliteDatabase } from './sqlite-database.js'
import { addRows } from './sqlite-inboxes.js'

export function commit(db: SqliteDatabase, pack: TextPack): CommitResult {
  if (db.first('SELECT 1 FROM pack WHERE id = ?', pack.id)) return { status: 'committed' }
  const refusal = refusalOf(db, pack, pack.cells, isCurrent)
  if (refusal) return refusal
  const pages = pack.cells.reduce((sum, cell) => sum + cell.pages, 0)
  const bytes = pack.cells.reduce((sum, cell) => sum + cell.bytes, 0)
  const fetchMs = pack.cells.reduce((sum, cell) => sum + cell.fetchMs, 0)
  db.run('INSERT INTO pack VALUES (?, ?, ?, ?)', pack.id, pack.incarnation, db.now, pages)
  for (const cell of pack.cells) commitCell(db, pack.id, cell)
  addRows(db, pack.appends, pack.incarnation)
  answer(db, saveFiles(pack.files, pack.incarnation))
  for (const { group, nextAllowed } of pack.waits)
    db.run(
      `INSERT INTO turn (grp, agent, epoch, lease_until, next_allowed) VALUES (?, NULL, 0, 0, ?)
       ON CONFLICT (grp) DO UPDATE SET next_allowed = max(next_allowed, excluded.next_allowed)`,
      group,
      Math.ceil(nextAllowed),
    )
  db.run('UPDATE crawl SET pages = pages + ?', pages)
  db.run(
    `UPDATE agent SET budget = max(0, budget - ?1), pages = pages + ?1, bytes = bytes + ?2, fetch_ms = fetch_ms + ?3,
       fetches = max(fetches, ?4) WHERE incarnation = ?5`,
    pages,
    bytes,
    Math.round(fetchMs),
    pack.fetches,
    pack.incarnation,
  )
  addLaneWork(db, pack)
  answer(db, addReceived(pack.incarnation, pack.received))
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
  if (!isCrawlOpen(db)) return { status: 'refused', why: 'crawl-closed' }
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

function isCrawlOpen(db: SqliteDatabase): boolean {
  return db.first('SELECT state FROM crawl')![0] === 'open'
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

function addLaneWork(
  db: SqliteDatabase,
  { incarnation, lanes }: Pick<TextPack, 'incarnation' | 'lanes'>,
): void {
  if (lanes.length === 0) return
  db.run(
    `INSERT INTO lane_work SELECT a.name, value ->> 0, value ->> 1, value ->> 2 FROM agent a, json_each(?1)
     WHERE a.incarnation = ?2
     ON CONFLICT (agent, lane) DO UPDATE SET pages = pages + excluded.pages, fetch_ms = fetch_ms + excluded.fetch_ms`,
    JSON.stringify(lanes.map(({ lane, pages, fetchMs }) => [lane, pages, fetchMs])),
    incarnation,
  )
}

/** Replacing a row clears its facts, which belong to the previous payload. */
export function saveMeta(
  db: SqliteDatabase,
  rows: readonly { readonly cell: CellId; readonly url: string; readonly meta: MetaInfo }[],
): void {
  for (const { cell, url, meta } of rows)
    db.run(
      `INSERT OR REPLACE INTO meta_info (cell, url, etag, last_modified, digest, stored_at, links)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      siteOfCell(cell),
      url,
      meta.etag,
      meta.lastModified,
      meta.digest,
      meta.storedAt,
      meta.links.join('\n'),
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
