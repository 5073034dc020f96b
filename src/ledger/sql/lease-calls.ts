/** Leases of cells: granted with the turn of their group, and how they end. */
import { type CellId, type Epoch, type Lease, type Millis, ownTurn, siteOfCell } from '../../model/index.js'
import type { CellState, Incarnation } from '../index.js'
import { firstAllowed, mayBeGranted } from '../rules/index.js'
import { leases } from './cell-calls.js'
import { isCrawlOpen } from './crawl-calls.js'
import type { Engine } from './engine.js'
import { HELD, LOCKED, type LockedCell, lockedCell, toHead, toTail } from './queue-calls.js'
import type { SqlValue, Steps } from './sql-steps.js'
import { freeUnused, takeTurns, waits } from './turn-calls.js'

/**
 * The lock on the agent row puts the grants of one incarnation in sequence: it sees their numbers in rising
 * order, and so knows which leases it has not seen.
 */
export function* grant(
  engine: Engine,
  incarnation: Incarnation,
  cells: readonly CellId[],
  leaseMs: Millis,
  delayMs: Millis,
  lane = 0,
): Steps<Lease[]> {
  const isOpen = yield* isCrawlOpen()
  const [agent] = yield ['SELECT open FROM agent WHERE incarnation = $1 FOR NO KEY UPDATE', incarnation]
  const rows = yield [
    `SELECT ${LOCKED}, cell.state FROM cell WHERE cell = ANY($1::text[]) ORDER BY cell FOR UPDATE`,
    cells,
  ]
  const waiting = rows
    .filter(row => mayBeGranted(row[5] as CellState, isOpen, agent?.[0] === 1))
    .map(lockedCell)
  if (waiting.length === 0) return []
  const groups = waiting.map(({ group }) => group)
  const turns = yield* takeTurns(engine, incarnation, groups, leaseMs, delayMs)
  const granted = waiting.filter(({ group }) => turns.has(group))
  if (granted.length === 0) return []
  const own = yield* waits(granted.map(({ cell }) => ownTurn(siteOfCell(cell))))
  const lastLeases = yield* lastLeasesOf(granted)
  const numbers = yield* engine.numbers('grant_number', granted.length)
  const made = granted.map(({ cell, leaseUntil }, i) => {
    const lastLease = Math.max(leaseUntil, lastLeases.get(cell) ?? 0)
    return {
      name: cell,
      number: numbers[i],
      start: Math.ceil(firstAllowed(lastLease, own[i].delayMs, delayMs)),
    }
  })
  yield [
    `UPDATE cell SET state = 'leased', agent = $1, epoch = epoch + 1, lease_until = $2, lane = $3,
       not_before = made.start, grant_number = made.number
     FROM json_to_recordset($4::json) AS made (name text, number bigint, start bigint)
     WHERE cell.cell = made.name`,
    incarnation,
    engine.now + leaseMs,
    lane,
    JSON.stringify(made),
  ]
  return yield* leases(incarnation, numbers[0] - 1)
}

/** The end of the last lease of any released cell of the same site: its cells share one delay. */
function* lastLeasesOf(cells: readonly LockedCell[]): Steps<ReadonlyMap<CellId, Millis>> {
  const split = cells.filter(({ cell }) => cell.includes('#'))
  if (split.length === 0) return new Map()
  const rows = yield [
    `SELECT site, max(lease_until) FROM unnest($1::text[]) AS site JOIN cell ON agent IS NULL
       AND (cell = site COLLATE "C" OR cell > site || '#' COLLATE "C" AND cell < site || '$' COLLATE "C") GROUP BY site`,
    [...new Set(split.map(({ cell }) => siteOfCell(cell)))],
  ]
  const bySite = new Map(rows.map(([site, until]) => [String(site), Number(until)]))
  return new Map(split.map(({ cell }) => [cell, bySite.get(siteOfCell(cell)) ?? 0]))
}

export function* release(engine: Engine, cell: CellId, epoch: Epoch, where: 'head' | 'tail'): Steps<boolean> {
  const held = yield* heldCell(cell, epoch)
  if (held === null) return false
  yield* (where === 'head' ? toHead : toTail)(engine, [held])
  return true
}

/**
 * A test on this row alone, which is locked: a query over the inbox would miss an append that commits
 * meanwhile.
 */
export function finish(engine: Engine, cell: CellId, epoch: Epoch): Steps<boolean> {
  return endLease(engine, cell, epoch, `state = 'finished'`, 'AND appended = consumed')
}

/**
 * The rank of a cell that is parked or rests is the time at which it becomes due, so that the index finds
 * cells that are due.
 */
export function park(engine: Engine, cell: CellId, epoch: Epoch, until: Millis, why: string): Steps<boolean> {
  const set = `state = 'parked', rank = $3, parked_until = $3, parked_why = $4`
  return endLease(engine, cell, epoch, set, '', Math.ceil(until), why)
}

export function rest(engine: Engine, cell: CellId, epoch: Epoch, until: Millis): Steps<boolean> {
  return endLease(engine, cell, epoch, `state = 'resting', rank = $3`, '', Math.ceil(until))
}

/** Ends a lease. The turn of the group ends with the last lease of the group. */
function* endLease(
  { now }: Engine,
  cell: CellId,
  epoch: Epoch,
  set: string,
  condition: string,
  ...values: SqlValue[]
): Steps<boolean> {
  const held = yield* heldCell(cell, epoch, condition)
  if (held === null) return false
  yield [
    `UPDATE cell SET ${set}, agent = NULL, lease_until = least(lease_until, $2) WHERE cell = $1`,
    cell,
    now,
    ...values,
  ]
  const { agent, group } = held
  if (agent !== null) yield* freeUnused([{ agent, grp: group, until: now }])
  return true
}

function* heldCell(cell: CellId, epoch: Epoch, condition = ''): Steps<LockedCell | null> {
  const [row] = yield [
    `SELECT ${LOCKED} FROM cell WHERE cell = $1 AND epoch = $2 AND ${HELD} ${condition} FOR UPDATE`,
    cell,
    epoch,
  ]
  return row === undefined ? null : lockedCell(row)
}
