/** Leases of cells: granted with the turn of their group, and released. */

import { type CellId, type Epoch, type Lease, type Millis, ownTurn, siteOfCell } from '../../model/index.js'
import type { Site } from '../../model/url/index.js'
import type { Incarnation } from '../index.js'
import { firstAllowed } from '../rules/index.js'
import { leases } from '../sql/index.js'
import { textArray } from './postgres-connection.js'
import { isOpenFor } from './postgres-crawls.js'
import { answer, type Transaction } from './postgres-database.js'
import { HELD, LOCKED, lockedCell, numbers, toHead, toTail } from './postgres-order.js'
import * as splits from './postgres-splits.js'
import { takeTurns } from './postgres-turns.js'

/**
 * The lock on the agent row puts the grants of one incarnation in sequence: it sees their numbers in rising
 * order, and so knows which leases it has not seen.
 */
export async function grant(
  tx: Transaction,
  incarnation: Incarnation,
  cells: readonly CellId[],
  leaseMs: Millis,
  delayMs: Millis,
  lane = 0,
): Promise<Lease[]> {
  if (!(await isOpenFor(tx))) return []
  const incarnationRow = await tx.first(
    'SELECT open FROM agent WHERE incarnation = $1 FOR NO KEY UPDATE',
    incarnation,
  )
  if (incarnationRow?.[0] !== 1) return []
  const found = await tx.all(
    `SELECT ${LOCKED} FROM cell WHERE cell = ANY($1::text[]) AND state = 'waiting' ORDER BY cell FOR UPDATE`,
    textArray(cells),
  )
  if (found.length === 0) return []
  const waiting = found.map(lockedCell)
  const groups = waiting.map(({ group }) => group)
  const turns = await takeTurns(tx, incarnation, groups, leaseMs, delayMs)
  const granted = waiting.filter(({ group }) => turns.has(group))
  if (granted.length === 0) return []
  const delays = await delaysOf(tx, granted)
  const lastLeases = await splits.lastLeases(tx, granted)
  const grants = await numbers(tx, 'grant_number', granted.length)
  await tx.run(
    `UPDATE cell SET state = 'leased', agent = $1, epoch = epoch + 1, lease_until = $2, lane = $3,
       not_before = granted.not_before, grant_number = granted.number
     FROM unnest($4::text[], $5::bigint[], $6::bigint[]) AS granted (name, not_before, number)
     WHERE cell = granted.name`,
    incarnation,
    tx.now + leaseMs,
    lane,
    textArray(granted.map(({ cell }) => cell)),
    granted.map(({ cell, leaseUntil }) => {
      const last = Math.max(leaseUntil, lastLeases.get(cell) ?? 0)
      return Math.ceil(firstAllowed(last, delays.get(siteOfCell(cell)) ?? 0, delayMs))
    }),
    grants,
  )
  return answer(tx, leases(incarnation, grants[0] - 1))
}

/** The delays that the sites themselves asked for. */
async function delaysOf(
  tx: Transaction,
  cells: readonly { readonly cell: CellId }[],
): Promise<Map<Site, Millis>> {
  const own = new Map(cells.map(({ cell }) => [ownTurn(siteOfCell(cell)), siteOfCell(cell)]))
  const rows = await tx.all(
    'SELECT grp, delay_ms FROM turn WHERE grp = ANY($1::text[])',
    textArray([...own.keys()]),
  )
  return new Map(rows.map(([group, delayMs]) => [own.get(String(group))!, Number(delayMs)]))
}

export async function release(
  tx: Transaction,
  cell: CellId,
  epoch: Epoch,
  where: 'head' | 'tail',
): Promise<boolean> {
  const held = await tx.all(
    `SELECT ${LOCKED} FROM cell WHERE cell = $1 AND epoch = $2 AND ${HELD} FOR UPDATE`,
    cell,
    epoch,
  )
  if (held.length === 0) return false
  await (where === 'head' ? toHead : toTail)(tx, held.map(lockedCell))
  return true
}
