/** Turns of groups: which incarnation may send requests to a group, and when next. */
import type { Epoch, GroupId, Millis } from '../../model/index.js'
import type { Incarnation } from '../index.js'
import { type TurnHolder, turnClaim } from '../rules/index.js'
import type { SqliteDatabase } from './sqlite-database.js'

/** If the caller already holds the turn, extends it to cover this lease. */
export function takeTurn(
  db: SqliteDatabase,
  incarnation: Incarnation,
  group: GroupId,
  leaseMs: Millis,
  delayMs: Millis,
): { epoch: Epoch; nextAllowed: Millis } | null {
  const now = db.now
  const row = db.first(
    'SELECT agent, epoch, lease_until, next_allowed, delay_ms FROM turn WHERE grp = ?',
    group,
  )
  if (!row) {
    db.run(
      'INSERT INTO turn (grp, agent, epoch, lease_until, next_allowed, delay_ms) VALUES (?, ?, 1, ?, 0, 0)',
      group,
      incarnation,
      now + leaseMs,
    )
    return { epoch: 1, nextAllowed: 0 }
  }
  const [holder, epoch, leaseUntil, nextAllowed, knownMs] = row
  if (holder === incarnation) {
    db.run('UPDATE turn SET lease_until = max(lease_until, ?) WHERE grp = ?', now + leaseMs, group)
    return { epoch: Number(epoch), nextAllowed: Number(nextAllowed) }
  }
  const turn = {
    leaseUntil: Number(leaseUntil),
    nextAllowed: Number(nextAllowed),
    delayMs: Number(knownMs),
  }
  const other = holder === null ? null : holderOf(db, Number(holder))
  const next = turnClaim(turn, other, { now, leaseMs, delayMs })
  if (next === null) return null
  db.run(
    'UPDATE turn SET agent = ?, epoch = epoch + 1, lease_until = ?, next_allowed = ? WHERE grp = ?',
    incarnation,
    now + leaseMs,
    Math.ceil(next),
    group,
  )
  return { epoch: Number(epoch) + 1, nextAllowed: next }
}

/** A turn that came with a lease stays until the group's last lease ends. */
export function releaseTurn(
  db: SqliteDatabase,
  incarnation: Incarnation,
  group: GroupId,
  nextAllowed: Millis,
): void {
  db.run(
    'UPDATE turn SET next_allowed = max(next_allowed, ?) WHERE grp = ? AND agent = ?',
    Math.ceil(nextAllowed),
    group,
    incarnation,
  )
  freeIfUnused(db, incarnation, group, db.now)
}

/** Releases the turn of a group unless the incarnation still leases a cell of the group. */
export function freeIfUnused(
  db: SqliteDatabase,
  incarnation: Incarnation,
  group: GroupId,
  heldUntil: Millis,
): void {
  db.run(
    `UPDATE turn SET agent = NULL, lease_until = ?
     WHERE grp = ? AND agent = ? AND NOT EXISTS (SELECT 1 FROM cell WHERE agent = ? AND grp = ?)`,
    heldUntil,
    group,
    incarnation,
    incarnation,
    group,
  )
}

/** The incarnation has ended, so its last request was before now. */
export function leaveTurns(db: SqliteDatabase, incarnation: Incarnation): void {
  db.run(`UPDATE turn SET agent = NULL, lease_until = ? WHERE agent = ?`, db.now, incarnation)
}

function holderOf(db: SqliteDatabase, holder: Incarnation): TurnHolder {
  const [open, heartbeatAt, gapUntil, lastHeartbeat] = (
    db.first(
      'SELECT a.open, a.heartbeat_at, c.gap_until, c.last_heartbeat FROM agent a, crawl c WHERE a.incarnation = ?',
      holder,
    ) ?? [0, 0, 0, 0]
  ).map(Number)
  return { isOpen: open === 1, heartbeatAt, gapUntil, lastHeartbeat }
}
