/** The queue of cells. A transaction locks cells in the order of their names, in one pass. */
import type { CellId, GroupId, Millis } from '../../model/index.js'
import type { Incarnation, WaitingCell } from '../index.js'
import { offeredCells } from './cell-calls.js'
import type { Engine } from './engine.js'
import type { Row, Steps } from './sql-steps.js'
import { freeUnused } from './turn-calls.js'

export interface LockedCell {
  readonly cell: CellId
  readonly agent: Incarnation | null
  readonly group: GroupId
  readonly leaseUntil: Millis
  readonly rank: number
}

/** Cells that an incarnation holds. */
export const HELD = `state IN ('leased', 'draining')`

/** Columns of `lockedCell`. */
export const LOCKED = 'cell.cell, cell.agent, cell.grp, cell.lease_until, cell.rank'

export function lockedCell([cell, agent, group, until, rank]: Row): LockedCell {
  return {
    cell: String(cell),
    agent: agent === null ? null : Number(agent),
    group: String(group),
    leaseUntil: Number(until),
    rank: Number(rank),
  }
}

export function* waiting(
  engine: Engine,
  limit: number,
  eligible?: readonly Incarnation[],
): Steps<WaitingCell[]> {
  yield* reclaimExpired(engine)
  yield* wakeRested(engine)
  return yield* offeredCells(limit, eligible)
}

/** Cells whose rest is over join the tail of the queue, and so do parked cells that are due. */
export function* wakeRested(engine: Engine): Steps<void> {
  const due = `(state = 'resting' AND rank <= $1 OR state = 'parked' AND rank BETWEEN 1 AND $1)`
  const seen = yield [`SELECT cell FROM cell WHERE ${due}`, engine.now]
  if (seen.length === 0) return
  const rows = yield [
    `SELECT ${LOCKED} FROM cell WHERE cell = ANY($2::text[]) AND ${due} ORDER BY cell FOR UPDATE`,
    engine.now,
    seen.map(([cell]) => String(cell)),
  ]
  const cells = rows.map(lockedCell).sort((a, b) => a.rank - b.rank)
  yield* toTail(engine, cells)
}

/**
 * Cells whose lease `hasExpired` (`rules/`) go to the head of the queue, unless the server was promoted since
 * the last heartbeat.
 */
export function* reclaimExpired(engine: Engine): Steps<void> {
  const { now, timeline } = engine
  const isHere = timeline === null ? 'true' : `timeline = ${timeline}`
  const expired = `cell.${HELD} AND lease_until < $1 AND gap_until <= $1 AND ${isHere}
    AND (last_heartbeat = 0 OR last_heartbeat >= lease_until)`
  const seen = yield [`SELECT cell FROM cell, crawl WHERE ${expired}`, now]
  if (seen.length === 0) return
  const rows = yield [
    `SELECT ${LOCKED} FROM cell, crawl WHERE cell = ANY($2::text[]) AND ${expired} ORDER BY cell FOR UPDATE OF cell`,
    now,
    seen.map(([cell]) => String(cell)),
  ]
  yield* toHead(engine, rows.map(lockedCell))
}

/** The last cell in queue order gets the highest of the new ranks, so that the cells keep their order. */
export function* toHead(engine: Engine, cells: readonly LockedCell[]): Steps<void> {
  const inOrder = [...cells].sort((a, b) => a.rank - b.rank)
  yield* toWaiting(engine, inOrder, yield* engine.numbers('rank_head', cells.length))
}

export function* toTail(engine: Engine, cells: readonly LockedCell[]): Steps<void> {
  yield* toWaiting(engine, cells, yield* engine.numbers('rank_tail', cells.length))
}

/** The turn of a group was held until the latest of its leases ended; one incarnation has all of them. */
function* toWaiting({ now }: Engine, cells: readonly LockedCell[], ranks: readonly number[]): Steps<void> {
  if (cells.length === 0) return
  yield [
    `UPDATE cell SET state = 'waiting', agent = NULL, rank = place.rank, lease_until = least(lease_until, $1)
     FROM json_to_recordset($2::json) AS place (name text, rank bigint) WHERE cell.cell = place.name`,
    now,
    JSON.stringify(cells.map(({ cell }, i) => ({ name: cell, rank: ranks[i] }))),
  ]
  yield* freeUnused(
    cells.flatMap(({ agent, group, leaseUntil }) =>
      agent === null ? [] : [{ agent, grp: group, until: Math.min(leaseUntil, now) }],
    ),
  )
}
