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
  const [pages, bytes, discovered, settled, backlog] = db
    .first(
      `SELECT coalesce(sum(pages), 0), coalesce(sum(bytes), 0), coalesce(sum(discovered), 0), coalesce(sum(settled), 0),
         coalesce(sum(appended - consumed), 0) FROM cell`,
    )!
    .map(Number)
  const cells = Object.fromEntries(CELL_STATES.map(name => [name, 0])) as Record<CellState, number>
  for (const [name, count] of db.all('SELECT state, count(*) FROM cell GROUP BY state'))
    cells[String(name) as CellState] = Number(count)
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
    cells,
    sites: Number(db.first(SITES)![0]),
    outcomes,
    lastIncarnation: Number(db.first('SELECT coalesce(max(incarnation), 0) FROM agent')![0]),
  }
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
  const rows = db.all(
    `SELECT cell, state, pages, bytes, fetch_ms, discovered, settled, first_fetch, last_fetch FROM cell
     WHERE cell > ? AND last_pack >= ? ORDER BY cell LIMIT ?`,
    after,
    which === 'all' ? 0 : 1,
    limit,
  )
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

/** A site that was split has its own row still; shards of one that was not are counted once. */
const SITES = `SELECT (SELECT count(*) FROM cell WHERE instr(cell, '#') = 0)
  + (SELECT count(DISTINCT substr(c.cell, 1, instr(c.cell, '#') - 1)) FROM cell c WHERE instr(c.cell, '#') > 0
     AND NOT EXISTS (SELECT 1 FROM cell whole WHERE whole.cell = substr(c.cell, 1, instr(c.cell, '#') - 1)))`
