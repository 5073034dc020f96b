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
import { textArray } from './postgres-connection.js'
import type { PostgresDatabase } from './postgres-database.js'

export async function readTotals(db: PostgresDatabase): Promise<Totals> {
  const [state, reason, lastIncarnation] = (await db.first(
    'SELECT state, finish_reason, (SELECT coalesce(max(incarnation), 0) FROM agent) FROM crawl',
  ))!
  const states = await db.all(
    `SELECT state, count(*), sum(pages), sum(bytes), sum(discovered), sum(settled), sum(appended - consumed),
       count(*) FILTER (WHERE strpos(cell, '#') > 0) FROM cell GROUP BY state`,
  )
  const cells = Object.fromEntries(CELL_STATES.map(name => [name, 0])) as Record<CellState, number>
  for (const [name, count] of states) cells[String(name) as CellState] = Number(count)
  const [all, pages, bytes, discovered, settled, backlog, pieces] = [1, 2, 3, 4, 5, 6, 7].map(column =>
    states.reduce((sum, row) => sum + Number(row[column]), 0),
  )
  const outcomes = await db.all(
    'SELECT code, sum(count), max(detail) FROM cell_outcome GROUP BY code ORDER BY 2 DESC',
  )
  return {
    open: state === 'open',
    finishReason: reason === null ? null : (String(reason) as FinishReason),
    pages,
    bytes,
    discovered,
    settled,
    backlog,
    cells,
    sites: all - pieces + (pieces === 0 ? 0 : Number((await db.first(SITES_IN_PIECES))![0])),
    outcomes: outcomes.map(outcomeCount),
    lastIncarnation: Number(lastIncarnation),
  }
}

export async function readParked(db: PostgresDatabase, limit: number): Promise<ParkedCell[]> {
  const rows = await db.all(
    `SELECT cell, parked_until, parked_why, discovered - settled + appended - consumed FROM cell
     WHERE state = 'parked' ORDER BY rank LIMIT $1`,
    limit,
  )
  return rows.map(parkedCell)
}

export async function readSites(
  db: PostgresDatabase,
  after: CellId,
  limit: number,
  which: 'all' | 'crawled' = 'all',
): Promise<SiteSummary[]> {
  const rows = await db.all(which === 'all' ? ALL_SITES : CRAWLED_SITES, after, limit)
  const outcomes = outcomesOf(
    await db.all(
      'SELECT code, count, detail, cell FROM cell_outcome WHERE cell = ANY($1::text[]) ORDER BY cell, code',
      textArray(rows.map(([cell]) => String(cell))),
    ),
  )
  return rows.map(row => siteSummary(row, outcomes.get(String(row[0])) ?? []))
}

const COLUMNS =
  'c.cell, c.state, c.pages, c.bytes, c.fetch_ms, c.discovered, c.settled, c.first_fetch, c.last_fetch'
const ALL_SITES = `SELECT ${COLUMNS} FROM cell c WHERE c.cell > $1 ORDER BY c.cell LIMIT $2`

/** As in `sqlite-totals.ts`: from one cell with packs to the next, and to the pieces of a split site. */
const SITE = `split_part(k.cell, '#', 1)`
const CRAWLED_SITES = `WITH RECURSIVE known(cell) AS (
    SELECT $1::text COLLATE "C" UNION ALL
    SELECT least(
      (SELECT p.cell FROM pack_cell p WHERE p.cell > k.cell ORDER BY p.cell LIMIT 1),
      (SELECT c.cell FROM cell c WHERE c.cell > greatest(k.cell, ${SITE} || '#') AND c.cell < ${SITE} || '$'
         AND c.last_pack > 0 ORDER BY c.cell LIMIT 1))
    FROM known k WHERE k.cell IS NOT NULL)
  SELECT ${COLUMNS} FROM (SELECT cell FROM known WHERE cell IS NOT NULL LIMIT $2 + 1) k
  JOIN cell c ON c.cell = k.cell WHERE k.cell > $1 ORDER BY k.cell`

/** A site that was split has its own row still; shards of one that was not are counted once. */
const SITES_IN_PIECES = `SELECT count(DISTINCT split_part(c.cell, '#', 1)) FROM cell c
  WHERE strpos(c.cell, '#') > 0
  AND NOT EXISTS (SELECT 1 FROM cell whole WHERE whole.cell = split_part(c.cell, '#', 1))`
