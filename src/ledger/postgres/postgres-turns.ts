/**
 * Turns of groups: which incarnation may send requests to a group, and when next. Rows are locked in the
 * order of groups, after those of cells.
 */
import type { Epoch, GroupId, Millis } from '../../model/index.js'
import type { Incarnation } from '../index.js'
import { type TurnHolder, turnClaim } from '../rules/index.js'
import { textArray } from './postgres-connection.js'
import type { Transaction } from './postgres-database.js'

export interface Turn {
  readonly epoch: Epoch
  readonly nextAllowed: Millis
}

/** A turn whose last lease may have ended, with the time of that end. */
export interface Hold {
  readonly incarnation: Incarnation
  readonly group: GroupId
  readonly until: Millis
}

interface TurnRow {
  readonly group: GroupId
  readonly holder: Incarnation | null
  readonly epoch: Epoch
  readonly leaseUntil: Millis
  readonly nextAllowed: Millis
  readonly delayMs: Millis
}

/**
 * Takes the turns that are available, by group. A turn that the caller already holds covers the new lease.
 */
export async function takeTurns(
  tx: Transaction,
  incarnation: Incarnation,
  groups: readonly GroupId[],
  leaseMs: Millis,
  delayMs: Millis,
): Promise<Map<GroupId, Turn>> {
  const rows = await lockTurns(tx, groups)
  const holders = await holdersOf(tx, rows, incarnation)
  const had = new Map<GroupId, Turn>()
  const kept: GroupId[] = []
  const taken: TurnRow[] = []
  for (const row of rows) {
    const { group, holder, epoch, nextAllowed } = row
    if (holder === incarnation) {
      had.set(group, { epoch, nextAllowed })
      kept.push(group)
      continue
    }
    const other = holder === null ? null : holders.get(holder)!
    const next = turnClaim(row, other, { now: tx.now, leaseMs, delayMs })
    if (next === null) continue
    had.set(group, { epoch: epoch + 1, nextAllowed: next })
    taken.push({ ...row, nextAllowed: Math.ceil(next) })
  }
  if (kept.length > 0)
    await tx.run(
      'UPDATE turn SET lease_until = greatest(lease_until, $1) WHERE grp = ANY($2::text[])',
      tx.now + leaseMs,
      textArray(kept),
    )
  if (taken.length > 0)
    await tx.run(
      `UPDATE turn SET agent = $1, epoch = epoch + 1, lease_until = $2, next_allowed = taken.next
       FROM unnest($3::text[], $4::bigint[]) AS taken (grp, next) WHERE turn.grp = taken.grp`,
      incarnation,
      tx.now + leaseMs,
      textArray(taken.map(({ group }) => group)),
      taken.map(({ nextAllowed }) => nextAllowed),
    )
  return had
}

/** Null also for an incarnation that has ended: nobody would release the turn. */
export async function takeTurn(
  tx: Transaction,
  incarnation: Incarnation,
  group: GroupId,
  leaseMs: Millis,
  delayMs: Millis,
): Promise<Turn | null> {
  const [open] = (await tx.first('SELECT open FROM agent WHERE incarnation = $1 FOR SHARE', incarnation)) ?? [
    0,
  ]
  if (open !== 1) return null
  return (await takeTurns(tx, incarnation, [group], leaseMs, delayMs)).get(group) ?? null
}

/** Inserts missing rows first, so that parallel claims wait for each other. */
async function lockTurns(tx: Transaction, groups: readonly GroupId[]): Promise<TurnRow[]> {
  const names = textArray([...new Set(groups)].sort())
  await tx.run(
    `INSERT INTO turn (grp, agent, epoch, lease_until, next_allowed)
     SELECT name, NULL, 0, 0, 0 FROM unnest($1::text[]) AS name ON CONFLICT (grp) DO NOTHING`,
    names,
  )
  const rows = await tx.all(
    `SELECT grp, agent, epoch, lease_until, next_allowed, delay_ms FROM turn
     WHERE grp = ANY($1::text[]) ORDER BY grp FOR UPDATE`,
    names,
  )
  return rows.map(([group, holder, epoch, leaseUntil, nextAllowed, known]) => ({
    group: String(group),
    holder: holder === null ? null : Number(holder),
    epoch: Number(epoch),
    leaseUntil: Number(leaseUntil),
    nextAllowed: Number(nextAllowed),
    delayMs: Number(known),
  }))
}

async function holdersOf(
  tx: Transaction,
  rows: readonly TurnRow[],
  incarnation: Incarnation,
): Promise<ReadonlyMap<Incarnation, TurnHolder>> {
  const holders = rows.flatMap(({ holder }) => (holder === null || holder === incarnation ? [] : [holder]))
  if (holders.length === 0) return new Map()
  const [gapUntil, last] = (await tx.first('SELECT gap_until, last_heartbeat FROM crawl'))!
  const open = await tx.all(
    'SELECT incarnation, heartbeat_at FROM agent WHERE open = 1 AND incarnation = ANY($1::bigint[])',
    holders,
  )
  const heartbeats = new Map(open.map(([incarnation, at]) => [Number(incarnation), Number(at)]))
  const heard = { gapUntil: Number(gapUntil), lastHeartbeat: Number(last) }
  return new Map(
    holders.map(holder => {
      const heartbeatAt = heartbeats.get(holder)
      return [holder, { isOpen: heartbeatAt !== undefined, heartbeatAt: heartbeatAt ?? 0, ...heard }]
    }),
  )
}

/** A turn that came with a lease stays until the group's last lease ends. */
export async function releaseTurn(
  tx: Transaction,
  incarnation: Incarnation,
  group: GroupId,
  nextAllowed: Millis,
): Promise<void> {
  await tx.run(
    'UPDATE turn SET next_allowed = greatest(next_allowed, $1) WHERE grp = $2 AND agent = $3',
    Math.ceil(nextAllowed),
    group,
    incarnation,
  )
  await freeUnused(tx, [{ incarnation, group, until: tx.now }])
}

/**
 * An incarnation holds the turn of a group as long as it leases a cell of the group. The rows are locked
 * before the search for such a cell: a parallel grant of another cell of the group is seen, or waits.
 */
export async function freeUnused(tx: Transaction, holds: readonly Hold[]): Promise<void> {
  if (holds.length === 0) return
  const latest = new Map<string, Hold>()
  for (const hold of holds) {
    const key = `${hold.incarnation} ${hold.group}`
    const known = latest.get(key)
    if (!known || known.until < hold.until) latest.set(key, hold)
  }
  const over = [...latest.values()]
  const names = textArray(over.map(({ group }) => group))
  await tx.all('SELECT 1 FROM turn WHERE grp = ANY($1::text[]) ORDER BY grp FOR UPDATE', names)
  await tx.run(
    `UPDATE turn SET agent = NULL, lease_until = hold.until
     FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS hold (grp, agent, until)
     WHERE turn.grp = hold.grp AND turn.agent = hold.agent
       AND NOT EXISTS (SELECT 1 FROM cell WHERE cell.agent = hold.agent AND cell.grp = hold.grp)`,
    names,
    over.map(({ incarnation }) => incarnation),
    over.map(({ until }) => Math.floor(until)),
  )
}

/** The incarnation has ended, so its last request was before now. */
export async function leaveTurns(tx: Transaction, incarnation: Incarnation): Promise<void> {
  await tx.run(
    `WITH held AS (SELECT grp FROM turn WHERE agent = $1 ORDER BY grp FOR UPDATE)
     UPDATE turn SET agent = NULL, lease_until = $2 FROM held WHERE turn.grp = held.grp`,
    incarnation,
    tx.now,
  )
}

/** Saves the waits of a pack in the order of groups. */
export async function saveWaits(
  tx: Transaction,
  waits: readonly { readonly group: GroupId; readonly nextAllowed: Millis }[],
): Promise<void> {
  if (waits.length === 0) return
  const latest = new Map<GroupId, Millis>()
  for (const { group, nextAllowed } of waits)
    latest.set(group, Math.max(latest.get(group) ?? 0, Math.ceil(nextAllowed)))
  const groups = [...latest.keys()].sort()
  await tx.run(
    `INSERT INTO turn (grp, agent, epoch, lease_until, next_allowed)
     SELECT name, NULL, 0, 0, next FROM unnest($1::text[], $2::bigint[]) AS wait (name, next)
     ON CONFLICT (grp) DO UPDATE SET next_allowed = greatest(turn.next_allowed, excluded.next_allowed)`,
    textArray(groups),
    groups.map(group => latest.get(group)!),
  )
}
