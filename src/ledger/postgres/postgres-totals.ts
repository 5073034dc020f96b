/** The crawl as a whole. */
import type { CellId } from '../../model/index.js'
import { CELL_STATES, type CellState, type SiteSummary, type Totals } from '../index.js'
import { countSitesInPieces, crawlState, outcomes, SITE_COLUMNS, sites } from '../sql/index.js'
import { answer, type PostgresDatabase } from './postgres-database.js'

export async function readTotals(db: PostgresDatabase): Promise<Totals> {
  const states = await db.all(
    `SELECT state, count(*), sum(pages), sum(bytes), sum(discovered), sum(settled), sum(appended - consumed),
       count(*) FILTER (WHERE strpos(cell, '#') > 0) FROM cell GROUP BY state`,
  )
  const cells = Object.fromEntries(CELL_STATES.map(name => [name, 0])) as Record<CellState, number>
  for (const [name, count] of states) cells[String(name) as CellState] = Number(count)
  const [all, pages, bytes, discovered, settled, backlog, pieces] = [1, 2, 3, 4, 5, 6, 7].map(column =>
    states.reduce((sum, row) => sum + Number(row[column]), 0),
  )
  return {
    ...(await answer(db, crawlState())),
    pages,
    bytes,
    discovered,
    settled,
    backlog,
    cells,
    sites: all - pieces + (pieces === 0 ? 0 : await answer(db, countSitesInPieces())),
    outcomes: await answer(db, outcomes()),
  }
}

export function readSites(
  db: PostgresDatabase,
  after: CellId,
  limit: number,
  which?: 'all' | 'crawled',
): Promise<SiteSummary[]> {
  return answer(db, sites(CRAWLED_SITES, after, limit, which))
}

/**
 * As in `sqlite-totals.ts`: steps from one cell with packs to the next, and to the pieces of a split site.
 */
const SITE = `split_part(k.cell, '#', 1)`
const CRAWLED_SITES = `WITH RECURSIVE known(cell) AS (
    SELECT $1::text COLLATE "C" UNION ALL
    SELECT least(
      (SELECT p.cell FROM pack_cell p WHERE p.cell > k.cell ORDER BY p.cell LIMIT 1),
      (SELECT c.cell FROM cell c WHERE c.cell > greatest(k.cell, ${SITE} || '#') AND c.cell < ${SITE} || '$'
         AND c.last_pack > 0 ORDER BY c.cell LIMIT 1))
    FROM known k WHERE k.cell IS NOT NULL)
  SELECT ${SITE_COLUMNS} FROM (SELECT cell FROM known WHERE cell IS NOT NULL LIMIT $2 + 1) k
  JOIN cell c ON c.cell = k.cell WHERE k.cell > $1 ORDER BY k.cell`
