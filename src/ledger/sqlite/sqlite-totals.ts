/** The crawl as a whole, for those who look at it. */
import type { CellId } from '../../model/index.js'
import {
  CELL_STATES,
  type CellState,
  type FinishReason,
  outcomeCount,
  outcomesOf,
  type ParkedCell,
  parkedCell,
  type SiteSummary,
  siteSummary,
  type Totals,
} from '../index.js'
import type { SqliteDatabase } from './sqlite-database.js'

export function readTotals(db: SqliteDatabase): Totals {
  const [state, reason] = db.first('SELECT state, finish_reason FROM crawl')!
  // The only look at every row: a link farm names millions of sites, and whoever presses Ctrl-C waits for
  // this.
  const [pages, bytes, discovered, settled, backlog, pieces] = db
    .first(
      `SELECT coalesce(sum(pages), 0), coalesce(sum(bytes), 0), coalesce(sum(discovered), 0), coalesce(sum(settled), 0),
         coalesce(sum(appended - consumed), 0), coalesce(sum(instr(cell, '#') > 0), 0) FROM cell`,
    )!
    .map(Number)
  const all = Number(db.first('SELECT count(*) FROM cell')![0])
  const outcomes = db
    .all('SELECT code, sum(count), max(detail) FROM cell_outcome GROUP BY code ORDER BY 2 DESC')
    .map(outcomeCount)
  return {
    open: state === 'open',
    finishReason: reason === null ? null : (String(reason) as FinishReason),
    pages,
    bytes,
    discovered,
    settled,
    backlog,
    cells: countStates(db, all),
    sites: all - pieces + (pieces === 0 ? 0 : Number(db.first(SITES_IN_PIECES)![0])),
    outcomes,
    lastIncarnation: Number(db.first('SELECT coalesce(max(incarnation), 0) FROM agent')![0]),
  }
}

/** Nearly all cells of a large crawl wait: those are the rest. SQLite counts a whole table by its pages. */
function countStates(db: SqliteDatabase, all: number): Record<CellState, number> {
  const cells = Object.fromEntries(CELL_STATES.map(name => [name, 0])) as Record<CellState, number>
  for (const state of CELL_STATES)
    if (state !== 'waiting')
      cells[state] = Number(db.first('SELECT count(*) FROM cell WHERE state = ?', state)![0])
  cells.waiting = all - CELL_STATES.reduce((sum, state) => sum + cells[state], 0)
  return cells
}

export function readParked(db: SqliteDatabase, limit: number): ParkedCell[] {
  return db
    .all(
      `SELECT cell, parked_until, parked_why, discovered - settled + appended - consumed FROM cell
       WHERE state = 'parked' ORDER BY rank LIMIT ?`,
      limit,
    )
    .map(parkedCell)
}

export function readSites(
  db: SqliteDatabase,
  after: CellId,
  limit: number,
  which: 'all' | 'crawled' = 'all',
): SiteSummary[] {
  const rows = db.all(which === 'all' ? ALL_SITES : CRAWLED_SITES, after, limit)
  if (rows.length === 0) return []
  const outcomes = outcomesOf(
    db.all(
      'SELECT code, count, detail, cell FROM cell_outcome WHERE cell BETWEEN ? AND ? ORDER BY cell, code',
      String(rows[0][0]),
      String(rows[rows.length - 1][0]),
    ),
  )
  return rows.map(row => siteSummary(row, outcomes.get(String(row[0])) ?? []))
}

const COLUMNS =
  'c.cell, c.state, c.pages, c.bytes, c.fetch_ms, c.discovered, c.settled, c.first_fetch, c.last_fetch'
const ALL_SITES = `SELECT ${COLUMNS} FROM cell c WHERE c.cell > ?1 ORDER BY c.cell LIMIT ?2`

/**
 * From one cell with packs to the next, so that cells without any cost nothing. Pieces of a split site that
 * have no pack of their own yet, but those of their parent, stand behind the site.
 */
const SITE = `CASE instr(k.cell, '#') WHEN 0 THEN k.cell ELSE substr(k.cell, 1, instr(k.cell, '#') - 1) END`
const CRAWLED_SITES = `WITH RECURSIVE known(cell) AS (
    SELECT ?1 UNION ALL
    SELECT (SELECT min(next.cell) FROM (
        SELECT min(p.cell) AS cell FROM pack_cell p WHERE p.cell > k.cell
        UNION ALL SELECT min(c.cell) FROM cell c
        WHERE c.cell > max(k.cell, ${SITE} || '#') AND c.cell < ${SITE} || '$' AND c.last_pack > 0) next)
    FROM known k WHERE k.cell IS NOT NULL LIMIT ?2 + 1)
  SELECT ${COLUMNS} FROM known k CROSS JOIN cell c ON c.cell = k.cell WHERE k.cell > ?1 ORDER BY k.cell`

/** A site that was split has its own row still; shards of one that was not are counted once. */
const SITES_IN_PIECES = `SELECT count(DISTINCT substr(c.cell, 1, instr(c.cell, '#') - 1)) FROM cell c
  WHERE instr(c.cell, '#') > 0
  AND NOT EXISTS (SELECT 1 FROM cell whole WHERE whole.cell = substr(c.cell, 1, instr(c.cell, '#') - 1))`
