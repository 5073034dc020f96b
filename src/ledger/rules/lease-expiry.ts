/**
 * When a lease, the coordinator's seat or an incarnation counts as given up.
 *
 * Inside SQL: `hasExpired` and `isSilent` select rows by an index; `gapAfter` is part of the heartbeat's
 * update.
 * PostgreSQL also requires that the server's timeline is the one of the last heartbeat.
 * `test/contract/rules-in-sql.test.ts` compares them.
 */
import type { Millis } from '../../model/index.js'

/** The last heartbeat of any incarnation, and the end of the time in which all may renew after a gap. */
export interface Heard {
  /** 0 before the first heartbeat. */
  readonly lastHeartbeat: Millis
  readonly gapUntil: Millis
}

/**
 * A lease expires when it ended without a renewal, unless the ledger itself was away, or no process at all
 * has sent a heartbeat since the end: then the whole machine was suspended, and its agents with it.
 */
export function hasExpired(leaseUntil: Millis, now: Millis, heard: Heard): boolean {
  return leaseUntil < now && heard.gapUntil <= now && !isUnheardSince(leaseUntil, heard)
}

/**
 * An incarnation that has sent no heartbeat for `silentMs` is closed, with the exceptions of `hasExpired`.
 */
export function isSilent(heartbeatAt: Millis, silentMs: Millis, now: Millis, heard: Heard): boolean {
  const since = now - silentMs
  return heartbeatAt < since && heard.gapUntil <= now && !isUnheardSince(since, heard)
}

/** The coordinator's seat can be taken once its holder has ended or its lease has expired. */
export function isSeatFree(
  seat: { readonly isHolderOpen: boolean; readonly until: Millis },
  now: Millis,
  heard: Heard,
): boolean {
  return !seat.isHolderOpen || hasExpired(seat.until, now, heard)
}

/** No process at all has sent a heartbeat since that time. */
export function isUnheardSince(time: Millis, { lastHeartbeat }: Heard): boolean {
  return lastHeartbeat > 0 && lastHeartbeat < time
}

/**
 * The end of the gap after a heartbeat at `now`. If nobody was heard for a whole lease, the agents may be
 * alive and only the ledger was away: nothing is taken from anybody until all had time to renew.
 */
export function gapAfter({ lastHeartbeat, gapUntil }: Heard, now: Millis, leaseMs: Millis): Millis {
  return lastHeartbeat > 0 && now - lastHeartbeat > leaseMs ? now + leaseMs : gapUntil
}

/**
 * A lease whose time is over is renewed only if its holder still has the turn of the group, which another
 * agent may have taken meanwhile.
 */
export function isRenewable(leaseUntil: Millis, now: Millis, holdsTurn: boolean): boolean {
  return leaseUntil >= now || holdsTurn
}
