/**
 * Who gets the turn of a group, until when the last holder had it, and when the next request may be sent.
 * Decided in TypeScript by every backend.
 */
import type { Millis } from '../../model/index.js'
import { firstAllowed } from './hand-over-wait.js'
import { type Heard, isUnheardSince } from './lease-expiry.js'

/** The stored turn. */
interface StoredTurn {
  readonly leaseUntil: Millis
  readonly nextAllowed: Millis
  readonly delayMs: Millis
}

/** Another incarnation that holds the turn. */
export interface TurnHolder extends Heard {
  readonly isOpen: boolean
  readonly heartbeatAt: Millis
}

interface Claim {
  readonly now: Millis
  readonly leaseMs: Millis
  readonly delayMs: Millis
}

/**
 * The next-allowed time under which the claimant takes over the turn, or null if the holder keeps it. A new
 * holder waits for the stored time, or for the end of the old holder's time plus the delay, whichever is
 * later. (A claimant that already holds the turn keeps it, extended to cover its lease: that is no
 * hand-over.)
 */
export function turnClaim(
  turn: StoredTurn,
  holder: TurnHolder | null,
  { now, leaseMs, delayMs }: Claim,
): Millis | null {
  const heldUntil = holder === null ? turn.leaseUntil : turnHeldUntil(turn.leaseUntil, holder, now, leaseMs)
  if (holder !== null && heldUntil >= now) return null
  return Math.max(turn.nextAllowed, firstAllowed(heldUntil, turn.delayMs, delayMs))
}

/**
 * Turn expiry: an open incarnation holds its turns for one lease after its last heartbeat. If the ledger
 * was away, or nobody at all was heard since that end, everybody gets the time to send a heartbeat again.
 */
function turnHeldUntil(leaseUntil: Millis, holder: TurnHolder, now: Millis, leaseMs: Millis): Millis {
  const { isOpen, heartbeatAt, gapUntil } = holder
  const until = Math.max(leaseUntil, isOpen ? heartbeatAt + leaseMs : 0)
  if (isOpen && isUnheardSince(until, holder)) return Math.max(until, now)
  return gapUntil > now ? Math.max(until, gapUntil) : until
}
