/**
 * Packs: the one transaction that acknowledges pages, with the checks that fence off whoever has lost his
 * cells.
 */
import type { CellId, Millis } from '../../model/index.js'
import type {
  CellState,
  CommitResult,
  Incarnation,
  PackCell,
  TextAppend,
  TextLinkBatch,
  TextPack,
} from '../index.js'
import { isHeldUnder, isNextPack } from '../rules/index.js'
import type { Row, SqliteDatabase } from './sqlite-database.js'
import type { SqliteFiles } from './sqlite-files.js'
import type { SqliteInboxes } from './sqlite-inboxes.js'
import type { SqliteWork } from './sqlite-work.js'

export interface PackTables {
  readonly inboxes: SqliteInboxes
  readonly files: SqliteFiles
  readonly work: SqliteWork
}

export class SqlitePacks {
  readonly #db: SqliteDatabase
  readonly #now: () => Millis
  readonly #tables: PackTables

  constructor(db: SqliteDatabase, now: () => Millis, tables: PackTables) {
    this.#db = db
    this.#now = now
    this.#tables = tables
  }

  commit(pack: TextPack): CommitResult {
    if (this.#db.first('SELECT 1 FROM pack WHERE id = ?', pack.id)) return { status: 'committed' }
    const { inboxes, files, work } = this.#tables
    const refusal = this.#refusal(pack, pack.cells, isCurrent)
    if (refusal) return refusal
    const pages = pack.cells.reduce((sum, cell) => sum + cell.pages, 0)
    const bytes = pack.cells.reduce((sum, cell) => sum + cell.bytes, 0)
    const fetchMs = pack.cells.reduce((sum, cell) => sum + cell.fetchMs, 0)
    this.#db.run('INSERT INTO pack VALUES (?, ?, ?, ?)', pack.id, pack.incarnation, this.#now(), pages)
    for (const cell of pack.cells) this.#commitCell(pack.id, cell)
    inboxes.add(pack.appends, pack.incarnation)
    for (const file of pack.files) files.save(file, pack.incarnation)
    for (const wait of pack.waits) this.#saveNextAllowed(wait.group, wait.nextAllowed)
    this.#db.run('UPDATE crawl SET pages = pages + ?', pages)
    this.#db.run(
      `UPDATE agent SET budget = max(0, budget - ?1), pages = pages + ?1, bytes = bytes + ?2, fetch_ms = fetch_ms + ?3,
         fetches = max(fetches, ?4) WHERE incarnation = ?5`,
      pages,
      bytes,
      Math.round(fetchMs),
      pack.fetches,
      pack.incarnation,
    )
    work.add(pack)
    return { status: 'committed' }
  }

  appendLinks(batch: TextLinkBatch): CommitResult {
    const refusal = this.#refusal(batch, batch.sources, isHeld)
    if (refusal) return refusal
    this.#tables.inboxes.add(batch.appends, batch.incarnation)
    return { status: 'committed' }
  }

  #crawlOpen(): boolean {
    return this.#db.first('SELECT state FROM crawl')![0] === 'open'
  }

  #refusal<PackCellRow extends SourceCell>(
    { incarnation, appends }: { readonly incarnation: Incarnation; readonly appends: readonly TextAppend[] },
    cells: readonly PackCellRow[],
    isOurs: (cell: PackCellRow, row: Row | undefined) => boolean,
  ): CommitResult | null {
    const [open] = this.#db.first('SELECT open FROM agent WHERE incarnation = ?', incarnation) ?? [0]
    if (!open) return { status: 'refused', why: 'incarnation-closed' }
    if (!this.#crawlOpen()) return { status: 'refused', why: 'crawl-closed' }
    const rows = this.#rowsOf(cells.map(({ cell }) => cell))
    const stale = cells.filter(cell => !isOurs(cell, rows.get(cell.cell))).map(cell => cell.cell)
    if (stale.length > 0) return { status: 'stale', cells: stale }
    const moved = this.#movedOf(appends.map(({ cell }) => cell))
    return moved.length > 0 ? { status: 'moved', cells: moved } : null
  }

  /** Many in one statement: a call costs as much as its look-up. */
  #rowsOf(cells: readonly CellId[]): ReadonlyMap<CellId, Row> {
    const rows = this.#db.all(
      `SELECT cell, epoch, last_pack, state FROM cell WHERE cell IN (SELECT value FROM json_each(?))`,
      JSON.stringify(cells),
    )
    return new Map(rows.map(row => [String(row[0]), row]))
  }

  #movedOf(cells: readonly CellId[]): { cell: CellId; children: CellId[] }[] {
    const rows = this.#db.all(
      `SELECT cell, children FROM cell WHERE cell IN (SELECT value FROM json_each(?)) AND state = 'closed'`,
      JSON.stringify(cells),
    )
    return rows.map(([cell, children]) => ({
      cell: String(cell),
      children: JSON.parse(String(children)) as CellId[],
    }))
  }

  #commitCell(pack: string, cell: PackCell): void {
    this.#db.run(
      'INSERT INTO pack_cell VALUES (?, ?, ?, ?, ?)',
      cell.cell,
      cell.number,
      pack,
      cell.epoch,
      cell.journal,
    )
    this.#db.run(
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
      this.#db.run('DELETE FROM inbox_batch WHERE cell = ? AND position <= ?', cell.cell, cell.cursor)
    for (const outcome of cell.outcomes) {
      this.#db.run(
        `INSERT INTO cell_outcome VALUES (?, ?, ?, ?)
         ON CONFLICT (cell, code) DO UPDATE SET count = count + excluded.count, detail = excluded.detail`,
        cell.cell,
        outcome.code,
        outcome.count,
        outcome.detail,
      )
    }
  }

  #saveNextAllowed(group: string, nextAllowed: Millis): void {
    this.#db.run(
      `INSERT INTO turn (grp, agent, epoch, lease_until, next_allowed) VALUES (?, NULL, 0, 0, ?)
       ON CONFLICT (grp) DO UPDATE SET next_allowed = max(next_allowed, excluded.next_allowed)`,
      group,
      Math.ceil(nextAllowed),
    )
  }
}

type SourceCell = Pick<PackCell, 'cell' | 'epoch'>

function isCurrent(cell: PackCell, row: Row | undefined): boolean {
  return isHeld(cell, row) && isNextPack(Number(row?.[2]), cell.number)
}

function isHeld(cell: SourceCell, row: Row | undefined): boolean {
  if (!row) return false
  const [, epoch, , state] = row
  return isHeldUnder(state as CellState, Number(epoch), cell.epoch)
}
