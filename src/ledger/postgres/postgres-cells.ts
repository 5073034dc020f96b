/** Heartbeats, the ends of leases, and the end of the crawl. */
import type { CellId, Epoch, Millis } from '../../model/index.js'
import { CELL_STATES, type FinishReason, type Heartbeat, type Incarnation, MOST_COUNTED } from '../index.js'
import { endOfCrawl } from '../rules/index.js'
import { countWaiting, publicSettings, type Row, shareOf } from '../sql/index.js'
import { textArray } from './postgres-connection.js'
import { isOpenFor, TIMELINE } from './postgres-crawls.js'
import { answer, type Transaction } from './postgres-database.js'
import { IS_OF_THIS_TIMELINE } from './postgres-incarnations.js'
import { HELD, LOCKED, lockedCell, reclaimExpired, wakeRested } from './postgres-order.js'
import { freeUnused } from './postgres-turns.js'

/** The crawl row is written last: all agents write it, and its lock should be short. */
export async function heartbeat(
  tx: Transaction,
  incarnation: Incarnation,
  leaseMs: Millis,
  status: string,
): Promise<Heartbeat> {
  const crawlOpen = await isOpenFor(tx)
  const incarnationRow = await tx.first(
    `UPDATE agent SET heartbeat_at = $1, status = $2 WHERE incarnation = $3 AND open = 1
     RETURNING ${IS_OF_THIS_TIMELINE}`,
    tx.now,
    status,
    incarnation,
  )
  const incarnationOpen = incarnationRow?.[0] === true
  const held = incarnationOpen ? await renew(tx, incarnation, leaseMs) : []
  await wakeRested(tx)
  const waiting = await answer(tx, countWaiting(MOST_COUNTED))
  const settings = await answer(tx, publicSettings())
  const share = await answer(tx, shareOf(incarnation))
  // `gapAfter` (`rules/`); a server that was promoted is a gap as well. The agent's row is locked: grants to
  // this incarnation are committed already, or get a higher number.
  const [grants] = (await tx.first(
    `UPDATE crawl SET last_heartbeat = greatest(last_heartbeat, $1), timeline = ${TIMELINE},
       gap_until = CASE WHEN last_heartbeat > 0 AND $1 - last_heartbeat > $2 OR timeline <> ${TIMELINE}
         THEN $1 + $2 ELSE gap_until END
     RETURNING (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM grant_number)`,
    tx.now,
    leaseMs,
  ))!
  return { now: tx.now, held, grants: Number(grants), waiting, settings, crawlOpen, incarnationOpen, share }
}

/**
 * A test on this row alone, which is locked: a query over the inbox would miss an append that commits
 * meanwhile.
 */
export function finish(tx: Transaction, cell: CellId, epoch: Epoch): Promise<boolean> {
  return endLease(tx, cell, epoch, `state = 'finished'`, 'AND appended = consumed')
}

/**
 * The rank of a cell that is parked or rests is the time at which it becomes due, so that the index finds
 * cells that are due.
 */
export function park(
  tx: Transaction,
  cell: CellId,
  epoch: Epoch,
  until: Millis,
  why: string,
): Promise<boolean> {
  const end = Math.ceil(until)
  return endLease(
    tx,
    cell,
    epoch,
    `state = 'parked', rank = $3, parked_until = $3, parked_why = $4`,
    '',
    end,
    why,
  )
}

export function rest(tx: Transaction, cell: CellId, epoch: Epoch, until: Millis): Promise<boolean> {
  return endLease(tx, cell, epoch, `state = 'resting', rank = $3`, '', Math.ceil(until))
}

/** Finds the first cell of each state in the index: a count would read all of them. */
const STATES_IN_USE = `SELECT c.state FROM unnest($1::text[]) AS named(state),
  LATERAL (SELECT state FROM cell WHERE cell.state = named.state ORDER BY rank LIMIT 1) AS c`

/**
 * The lock on the crawl row puts every append, commit and grant either before the end or after it. While a
 * lease is in force there is no end, and the lock is not needed.
 */
export async function tryEnd(tx: Transaction): Promise<FinishReason | null> {
  if (await tx.first(`SELECT 1 FROM cell WHERE ${HELD} AND lease_until >= $1 LIMIT 1`, tx.now)) return null
  const [state, max, reason] = (await tx.first(
    'SELECT state, max_pages, finish_reason FROM crawl FOR UPDATE',
  ))!
  if (state === 'closed') return String(reason) as FinishReason
  await reclaimExpired(tx)
  const states = await tx.all(STATES_IN_USE, textArray(CELL_STATES))
  const [pages] = (await tx.first('SELECT coalesce(sum(pages), 0) FROM agent'))!
  const why = endOfCrawl(
    Object.fromEntries(states.map(([name]) => [String(name), 1])),
    Number(pages),
    max === null ? null : Number(max),
  )
  if (why === null) return null
  await tx.run(`UPDATE crawl SET state = 'closed', finish_reason = $1, pages = $2`, why, Number(pages))
  return why
}

async function renew(tx: Transaction, incarnation: Incarnation, leaseMs: Millis): Promise<Heartbeat['held']> {
  const rows = await tx.all(
    `WITH mine AS (SELECT cell AS name, grp, lease_until < $2 AS late FROM cell WHERE agent = $3 AND ${HELD}
                   ORDER BY cell FOR UPDATE),
       renewed AS (UPDATE cell SET lease_until = $1 FROM mine WHERE cell = mine.name AND NOT late
                   RETURNING cell, epoch, appended)
     SELECT cell, epoch, appended, NULL FROM renewed
     UNION ALL SELECT name, NULL, NULL, grp FROM mine WHERE late`,
    tx.now + leaseMs,
    tx.now,
    incarnation,
  )
  const late = rows.filter(([, , , group]) => group !== null)
  const renewed = rows.filter(([, , , group]) => group === null)
  if (late.length > 0) renewed.push(...(await renewLate(tx, incarnation, leaseMs, late)))
  return renewed.map(([cell, epoch, appended]) => ({
    cell: String(cell),
    epoch: Number(epoch),
    appended: Number(appended),
  }))
}

/**
 * Renews leases whose time is over, unless the holder has lost the turn of the group meanwhile. The turns are
 * locked against claims in parallel transactions.
 */
async function renewLate(
  tx: Transaction,
  incarnation: Incarnation,
  leaseMs: Millis,
  late: readonly Row[],
): Promise<readonly Row[]> {
  const turns = await tx.all(
    'SELECT grp FROM turn WHERE grp = ANY($1::text[]) AND agent = $2 ORDER BY grp FOR SHARE',
    textArray([...new Set(late.map(([, , , group]) => String(group)))]),
    incarnation,
  )
  return tx.all(
    `UPDATE cell SET lease_until = $1 WHERE cell = ANY($2::text[]) AND grp = ANY($3::text[])
     RETURNING cell, epoch, appended`,
    tx.now + leaseMs,
    textArray(late.map(([cell]) => String(cell))),
    textArray(turns.map(([group]) => String(group))),
  )
}

/** Ends a lease. The turn of the group ends with the last lease of the group. */
async function endLease(
  tx: Transaction,
  cell: CellId,
  epoch: Epoch,
  set: string,
  condition: string,
  ...values: (string | number)[]
): Promise<boolean> {
  const held = await tx.all(
    `SELECT ${LOCKED} FROM cell WHERE cell = $1 AND epoch = $2 AND ${HELD} ${condition} FOR UPDATE`,
    cell,
    epoch,
  )
  if (held.length === 0) return false
  const { agent, group } = lockedCell(held[0])
  await tx.run(
    `UPDATE cell SET ${set}, agent = NULL, lease_until = least(lease_until, $2) WHERE cell = $1`,
    cell,
    tx.now,
    ...values,
  )
  if (agent !== null) await freeUnused(tx, [{ incarnation: agent, group, until: tx.now }])
  return true
}
