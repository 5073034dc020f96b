/** Reads of cells: leases, loads of lanes, parked cells and sites. */
import {
  addTo,
  type CellId,
  type GroupId,
  type Lease,
  type Millis,
  type OutcomeCode,
} from '../../model/index.js'
import type {
  CellState,
  Incarnation,
  LaneLoad,
  LaneName,
  OutcomeCount,
  ParkedCell,
  SiteSummary,
  WaitingCell,
} from '../index.js'
import type { Engine } from './engine.js'
import type { Row, Steps } from './sql-steps.js'

/**
 * Waits of a single site of a group are stored in a turn of its own, whose name is `=` and the site
 * (`ownTurn`).
 */
const LEASES = `SELECT c.cell, c.epoch, c.lease_until, c.last_pack, c.inbox_cursor, c.not_before, c.grant_number, c.lane,
    coalesce(t.next_allowed, 0), c.appended, coalesce(own.next_allowed, 0), coalesce(own.delay_ms, 0)
  FROM cell c LEFT JOIN turn t ON t.grp = c.grp LEFT JOIN turn own ON own.grp = '=' || split_part(c.cell, '#', 1)
  WHERE c.agent = $1 AND c.grant_number > $2 ORDER BY c.grant_number`

export function* leases(incarnation: Incarnation, after: number): Steps<Lease[]> {
  const rows = yield [LEASES, incarnation, after]
  return rows.map(([name, ...values]) => {
    const [epoch, until, lastPack, cursor, notBefore, grant, lane, turnFrom, appended, waitUntil, delayMs] =
      values.map(Number)
    return {
      cell: String(name),
      epoch,
      until,
      lastPack,
      cursor,
      appended,
      notBefore,
      waitUntil,
      turnFrom,
      delayMs,
      grant,
      lane,
    }
  })
}

export function* countWaiting(limit: number): Steps<number> {
  const [[count]] = yield [
    `SELECT count(*) FROM (SELECT 1 FROM cell WHERE state = 'waiting' LIMIT $1) AS waiting`,
    limit,
  ]
  return Number(count)
}

/** Columns of `waitingCell`. If the turns of several addresses of a site are held, the first is selected. */
const WAITING = `SELECT c.cell, c.grp, c.rank, greatest(c.size_estimate, c.pages), c.appended - c.consumed,
   coalesce(t.agent || ' ' || t.grp, (SELECT at.agent || ' ' || at.grp FROM address a
     JOIN turn at ON at.grp = a.address WHERE a.site = split_part(c.cell, '#', 1) AND at.agent IS NOT NULL
     ORDER BY at.grp LIMIT 1)),
   c.bound_agent, c.bound_lane
 FROM cell c LEFT JOIN turn t ON t.grp = c.grp WHERE c.state = 'waiting'`

/** The first waiting cells, in queue order, for which `isOffered` (`rules/`) holds. */
export function* offeredCells(limit: number, eligible?: readonly Incarnation[]): Steps<WaitingCell[]> {
  const rows =
    eligible === undefined
      ? yield [`${WAITING} ORDER BY c.rank LIMIT $1`, limit]
      : yield [
          `${WAITING} AND (t.agent IS NULL OR t.agent = ANY($1::bigint[])) ORDER BY c.rank LIMIT $2`,
          eligible,
          limit,
        ]
  return rows.map(waitingCell)
}

function waitingCell([cell, group, rank, size, backlog, held, agent, lane]: Row): WaitingCell {
  return {
    cell: String(cell),
    group: String(group),
    rank: Number(rank),
    size: Number(size),
    backlog: Number(backlog),
    ...turnIn(held as string | null, String(group)),
    boundTo: agent === null ? null : { agent: String(agent), lane: Number(lane) },
  }
}

/** `held`: holder and group of the turn in one text, or null. */
function turnIn(held: string | null, own: GroupId): Pick<WaitingCell, 'turnOf' | 'turn'> {
  if (held === null) return { turnOf: null, turn: own }
  const space = held.indexOf(' ')
  return { turnOf: Number(held.slice(0, space)), turn: held.slice(space + 1) }
}

export function* laneLoads(): Steps<LaneLoad[]> {
  const rows = yield [
    `SELECT bound_agent, bound_lane, count(*), sum(greatest(1, size_estimate, pages)) FROM cell
     WHERE bound_agent IS NOT NULL GROUP BY bound_agent, bound_lane ORDER BY bound_agent, bound_lane`,
  ]
  return rows.map(([agent, lane, cells, size]) => ({
    agent: String(agent),
    lane: Number(lane),
    cells: Number(cells),
    size: Number(size),
  }))
}

export function* bind(
  _engine: Engine,
  cells: readonly (LaneName & { readonly cell: CellId })[],
): Steps<void> {
  yield* lockCells(cells)
  yield [
    `UPDATE cell SET bound_agent = b.agent, bound_lane = b.lane
     FROM json_to_recordset($1::json) AS b (cell text, agent text, lane bigint)
     WHERE cell.cell = b.cell`,
    JSON.stringify(cells),
  ]
}

export function* estimate(
  _engine: Engine,
  sizes: readonly { readonly cell: CellId; readonly size: number }[],
): Steps<void> {
  yield* lockCells(sizes)
  yield [
    `UPDATE cell SET size_estimate = e.size FROM json_to_recordset($1::json) AS e (cell text, size bigint)
     WHERE cell.cell = e.cell`,
    JSON.stringify(sizes.map(({ cell, size }) => ({ cell, size: Math.round(size) }))),
  ]
}

/**
 * The rank of a resting cell is the time at which its rest ends, so that the index finds the cells that are
 * due.
 */
export function* defer(
  _engine: Engine,
  waits: readonly { readonly cell: CellId; readonly until: Millis }[],
): Steps<void> {
  yield* lockCells(waits)
  yield [
    `UPDATE cell SET state = 'resting', rank = w.until
     FROM json_to_recordset($1::json) AS w (cell text, until bigint)
     WHERE cell.cell = w.cell AND cell.state = 'waiting'`,
    JSON.stringify(waits.map(({ cell, until }) => ({ cell, until: Math.ceil(until) }))),
  ]
}

/** In the order of names, as every transaction locks cells. */
function* lockCells(cells: readonly { readonly cell: CellId }[]): Steps<void> {
  const names = cells.map(({ cell }) => cell)
  yield ['SELECT 1 FROM cell WHERE cell = ANY($1::text[]) ORDER BY cell FOR UPDATE', names]
}

export function* parked(limit: number): Steps<ParkedCell[]> {
  const rows = yield [
    `SELECT cell, parked_until, parked_why, discovered - settled + appended - consumed FROM cell
     WHERE state = 'parked' ORDER BY rank LIMIT $1`,
    limit,
  ]
  return rows.map(([cell, until, why, queued]) => ({
    cell: String(cell),
    until: Number(until),
    why: String(why),
    queued: Number(queued),
  }))
}

/** The cell and all cells that it was split from. */
export function* cellAndAncestors(cell: CellId): Steps<CellId[]> {
  if (!cell.includes('#')) return [cell]
  const rows = yield [
    `WITH RECURSIVE line (name) AS (SELECT $1::text COLLATE "C"
       UNION ALL SELECT cell.parent FROM cell JOIN line ON cell.cell = line.name WHERE cell.parent IS NOT NULL)
     SELECT name FROM line`,
    cell,
  ]
  return rows.map(([name]) => String(name))
}

/** Columns of a `SiteSummary`, of the cell `c`. */
export const SITE_COLUMNS =
  'c.cell, c.state, c.pages, c.bytes, c.fetch_ms, c.discovered, c.settled, c.first_fetch, c.last_fetch'
const ALL_SITES = `SELECT ${SITE_COLUMNS} FROM cell c WHERE c.cell > $1 ORDER BY c.cell LIMIT $2`

/** `crawledSites` selects the cells with packs; each engine finds them by its own use of the indexes. */
export function* sites(
  crawledSites: string,
  after: CellId,
  limit: number,
  which: 'all' | 'crawled' = 'all',
): Steps<SiteSummary[]> {
  const rows = yield [which === 'all' ? ALL_SITES : crawledSites, after, limit]
  if (rows.length === 0) return []
  const outcomes = outcomesByCell(
    yield [
      'SELECT code, count, detail, cell FROM cell_outcome WHERE cell BETWEEN $1 AND $2 ORDER BY cell, code',
      String(rows[0][0]),
      String(rows[rows.length - 1][0]),
    ],
  )
  return rows.map(row => siteSummary(row, outcomes.get(String(row[0])) ?? []))
}

function siteSummary([cell, state, ...counts]: Row, outcomes: readonly OutcomeCount[]): SiteSummary {
  const [pages, bytes, fetchMs, discovered, settled, firstFetch, lastFetch] = counts.map(Number)
  return {
    cell: String(cell),
    state: String(state) as CellState,
    pages,
    bytes,
    fetchMs,
    firstFetch,
    lastFetch,
    discovered,
    settled,
    outcomes,
  }
}

function outcomesByCell(rows: readonly Row[]): Map<CellId, OutcomeCount[]> {
  const found = new Map<CellId, OutcomeCount[]>()
  for (const row of rows) addTo(found, String(row[3]), outcomeCount(row))
  return found
}

/** Outcomes of the whole crawl, the most frequent first. */
export function* outcomes(): Steps<OutcomeCount[]> {
  return (yield ['SELECT code, sum(count), max(detail) FROM cell_outcome GROUP BY code ORDER BY 2 DESC']).map(
    outcomeCount,
  )
}

function outcomeCount([code, count, detail]: Row): OutcomeCount {
  return { code: String(code) as OutcomeCode, count: Number(count), detail: String(detail) }
}

/** Counts the sites whose cells are pieces or shards; each site counts once. */
export function* countSitesInPieces(): Steps<number> {
  const [[count]] = yield [
    `SELECT count(DISTINCT split_part(c.cell, '#', 1)) FROM cell c WHERE strpos(c.cell, '#') > 0
     AND NOT EXISTS (SELECT 1 FROM cell whole WHERE whole.cell = split_part(c.cell, '#', 1))`,
  ]
  return Number(count)
}
