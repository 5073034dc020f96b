/** Totals of the crawl, read with statements that skip cells that were never crawled. */
import type { CellId } from '../../model/index.js'
import { CELL_STATES, type CellState, type SiteSummary, type Totals } from '../index.js'
import { countSitesInPieces, crawlState, outcomes, SITE_COLUMNS, sites } from '../sql/index.js'
import { answer, type SqliteDatabase } from './sqlite-database.js'

export function readTotals(db: SqliteDatabase): Totals {
  // Only this statement reads every row. There may be millions, because a link farm names so many sites, and
  // the end after Ctrl-C waits for it.
  const [pages, bytes, discovered, settled, backlog, pieces] = db
    .first(
      `SELECT coalesce(sum(pages), 0), coalesce(sum(bytes), 0), coalesce(sum(discovered), 0), coalesce(sum(settled), 0),
         coalesce(sum(appended - consumed), 0), coalesce(sum(instr(cell, '#') > 0), 0) FROM cell`,
    )!
    .map(Number)
  const all = Number(db.first('SELECT count(*) FROM cell')![0])
  return {
    ...answer(db, crawlState()),
    pages,
    bytes,
    discovered,
    settled,
    backlog,
    cells: countStates(db, all),
    sites: all - pieces + (pieces === 0 ? 0 : answer(db, countSitesInPieces())),
    outcomes: answer(db, outcomes()),
  }
}

/**
 * Nearly all cells of a large crawl are waiting. Their number is computed as the remainder, because SQLite
 * counts a whole table faster than it counts the rows of one state.
 */
function countStates(db: SqliteDatabase, all: number): Record<CellState, number> {
  const cells = Object.fromEntries(CELL_STATES.map(name => [name, 0])) as Record<CellState, number>
  for (const state of CELL_STATES)
    if (state !== 'waiting')
      cells[state] = Number(db.first('SELECT count(*) FROM cell WHERE state = ?', state)![0])
  cells.waiting = all - CELL_STATES.reduce((sum, state) => sum + cells[state], 0)
  return cells
}

export function readSites(
  db: SqliteDatabase,
  after: CellId,
  limit: number,
  which?: 'all' | 'crawled',
): SiteSummary[] {
  return answer(db, sites(CRAWLED_SITES, after, limit, which))
}

/**
 * Steps from one cell with packs to the next, so that cells without packs cost nothing. Pieces of a split
 * site without packs of their own follow the site: they derive from the packs of their parent.
 */
const SITE = `split_part(k.cell, '#', 1)`
const CRAWLED_SITES = `WITH RECURSIVE known(cell) AS (
    SELECT $1 UNION ALL
    SELECT (SELECT min(next.cell) FROM (
        SELECT min(p.cell) AS cell FROM pack_cell p WHERE p.cell > k.cell
        UNION ALL SELECT min(c.cell) FROM cell c
        WHERE c.cell > max(k.cell, ${SITE} || '#') AND c.cell < ${SITE} || '$' AND c.last_pack > 0) next)
    FROM known k WHERE k.cell IS NOT NULL LIMIT $2 + 1)
  SELECT ${SITE_COLUMNS} FROM known k CROSS JOIN cell c ON c.cell = k.cell WHERE k.cell > $1 ORDER BY k.cell`
