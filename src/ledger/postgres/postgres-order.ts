/** The queue of cells. A transaction locks cells in the order of their names, in one pass. */
import type { CellId, GroupId, Millis } from '../../model/index.js'
import type { Incarnation, WaitingCell } from '../index.js'
import { offeredCells, type Row } from '../sql/index.js'
import { textArray } from './postgres-connection.js'
import { TIMELINE } from './postgres-crawls.js'
import { answer, type Transaction } from './postgres-database.js'
import { freeUnused } from './postgres-turns.js'

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

export async function waiting(
  tx: Transaction,
  limit: number,
  eligible?: readonly Incarnation[],
): Promise<WaitingCell[]> {
  await reclaimExpired(tx)
  await wakeRested(tx)
  return answer(tx, offeredCells(limit, eligible))
}

/** The lock keeps out appends, so the numbers after the last rank are free. */
export async function rankBySize(tx: Transaction): Promise<void> {
  await tx.all('SELECT 1 FROM crawl FOR UPDATE')
  const [count] = (await tx.first(`SELECT count(*) FROM cell WHERE state = 'waiting'`))!
  if (count === 0) return
  const [last] = (await tx.first(
    `SELECT setval('rank_tail', nextval('rank_tail') + $1::bigint - 1) - $1::bigint`,
    Number(count),
  ))!
  await tx.run(
    `UPDATE cell SET rank = ranked.place + $1
     FROM (SELECT cell AS name, row_number() OVER (ORDER BY greatest(size_estimate, pages) DESC, rank) AS place
           FROM cell WHERE state = 'waiting') AS ranked WHERE cell = ranked.name`,
    Number(last),
  )
}

/** Cells whose rest is over join the tail of the queue, and so do parked cells that are due. */
export async function wakeRested(tx: Transaction): Promise<void> {
  const due = `(state = 'resting' AND rank <= $1 OR state = 'parked' AND rank BETWEEN 1 AND $1)`
  const seen = await tx.all(`SELECT cell FROM cell WHERE ${due}`, tx.now)
  if (seen.length === 0) return
  const rows = await tx.all(
    `SELECT ${LOCKED} FROM cell WHERE cell = ANY($2::text[]) AND ${due} ORDER BY cell FOR UPDATE`,
    tx.now,
    textArray(seen.map(([cell]) => String(cell))),
  )
  await toTail(
    tx,
    rows.map(lockedCell).sort((a, b) => a.rank - b.rank),
  )
}

/**
 * Cells whose lease `hasExpired` (`rules/`) go to the head of the queue, unless the server was promoted since
 * the last heartbeat.
 */
export async function reclaimExpired(tx: Transaction): Promise<void> {
  const expired = `cell.state IN ('leased', 'draining') AND lease_until < $1 AND gap_until <= $1
    AND timeline = ${TIMELINE} AND (last_heartbeat = 0 OR last_heartbeat >= lease_until)`
  const seen = await tx.all(`SELECT cell FROM cell, crawl WHERE ${expired}`, tx.now)
  if (seen.length === 0) return
  const rows = await tx.all(
    `SELECT ${LOCKED} FROM cell, crawl WHERE cell = ANY($2::text[]) AND ${expired} ORDER BY cell FOR UPDATE OF cell`,
    tx.now,
    textArray(seen.map(([cell]) => String(cell))),
  )
  await toHead(tx, rows.map(lockedCell))
}

/** The last cell in queue order gets the highest of the new ranks, so that the cells keep their order. */
export async function toHead(tx: Transaction, cells: readonly LockedCell[]): Promise<void> {
  const inOrder = [...cells].sort((a, b) => b.rank - a.rank)
  await toWaiting(tx, inOrder, (await numbers(tx, 'rank_head', cells.length)).reverse())
}

export async function toTail(tx: Transaction, cells: readonly LockedCell[]): Promise<void> {
  await toWaiting(tx, cells, await numbers(tx, 'rank_tail', cells.length))
}

/** Draws `count` numbers of a sequence, in rising order. */
export async function numbers(
  tx: Transaction,
  sequence: 'rank_head' | 'rank_tail' | 'grant_number',
  count: number,
): Promise<number[]> {
  if (count === 0) return []
  const rows = await tx.all(
    'SELECT nextval($1::regclass) FROM generate_series(1, $2::bigint)',
    sequence,
    count,
  )
  return rows.map(([number]) => Number(number)).sort((a, b) => a - b)
}

async function toWaiting(
  tx: Transaction,
  cells: readonly LockedCell[],
  ranks: readonly number[],
): Promise<void> {
  if (cells.length === 0) return
  await tx.run(
    `UPDATE cell SET state = 'waiting', agent = NULL, rank = place.rank, lease_until = least(lease_until, $1)
     FROM unnest($2::text[], $3::bigint[]) AS place (name, rank) WHERE cell = place.name`,
    tx.now,
    textArray(cells.map(({ cell }) => cell)),
    ranks,
  )
  const holds = cells.flatMap(({ agent, group, leaseUntil }) =>
    agent === null ? [] : [{ incarnation: agent, group, until: Math.min(leaseUntil, tx.now) }],
  )
  await freeUnused(tx, holds)
}
