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
    `SELECT state, count(*), sum(pages), sum(bytes), sum(discovered), sum(settled), sum(appended - consumed)
     FROM cell GROUP BY state`,
  )
  const cells = Object.fromEntries(CELL_STATES.map(name => [name, 0])) as Record<CellState, number>
  for (const [name, count] of states) cells[String(name) as CellState] = Number(count)
  const [pages, bytes, discovered, settled, backlog] = [2, 3, 4, 5, 6].map(column =>
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
    sites: Number((await db.first(SITES))![0]),
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
  const rows = await db.all(
    `SELECT cell, state, pages, bytes, fetch_ms, discovered, settled, first_fetch, last_fetch FROM cell
     WHERE cell > $1 AND last_pack >= $3 ORDER BY cell LIMIT $2`,
    after,
    limit,
    which === 'all' ? 0 : 1,
  )
  const outcomes = outcomesOf(
    await db.all(
      'SELECT code, count, detail, cell FROM cell_outcome WHERE cell = ANY($1::text[]) ORDER BY cell, code',
      textArray(rows.map(([cell]) => String(cell))),
    ),
  )
  return rows.map(row => siteSummary(row, outcomes.get(String(row[0])) ?? []))
}

/** A site that was split has its own row still; shards of one that was not are counted once. */
const SITES = `SELECT (SELECT count(*) FROM cell WHERE strpos(cell, '#') = 0)
  + (SELECT count(DISTINCT split_part(c.cell, '#', 1)) FROM cell c WHERE strpos(c.cell, '#') > 0
     AND NOT EXISTS (SELECT 1 FROM cell whole WHERE whole.cell = split_part(c.cell, '#', 1)))`
