/**
 * Under `phases` an agent claims its cells without a coordinator (K1). It leases shards with all their cells:
 * the first cell of a free shard brings the shard's turn, and only its holder can lease other cells of the
 * shard. Each agent claims a fair share of the shards, one at a time. A shard that stays free for a while,
 * such as that of a dead node, goes to the first agent that sees it. An agent that has more than its share
 * because others have joined releases one.
 */

import type { Incarnation, Ledger, WaitingCell } from '../../../ledger/index.js'
import type { CellId, Clock, Millis } from '../../../model/index.js'
import { shardOf } from '../../../page/politeness/phases/index.js'
import {
  LEAST_READ_CELLS,
  MEMBER_COUNT_MS,
  MOST_READ_CELLS,
  RELEASE_PAUSE_MS,
  SHARD_CLAIMER_EXCESS_MS,
  SHARD_CLAIMER_ORPHAN_MS,
} from '../../limits.js'

export interface ShardClaimerParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly incarnation: Incarnation
  readonly leaseMs: Millis
  readonly leastDelayMs: () => Millis
  /** The number of shards (Nnode in the papers). */
  readonly shards: number
}

export class ShardClaimer {
  readonly #parts: ShardClaimerParts
  /** Cells may wait in the queue. */
  #mayWait = true
  #agents: readonly Incarnation[] = []
  #membersCountedAt: Millis = Number.NEGATIVE_INFINITY
  /** Since when shards are known to be free. */
  readonly #orphans = new Map<number, Millis>()
  #excessSince: Millis | null = null
  #releasedAt: Millis = Number.NEGATIVE_INFINITY

  constructor(parts: ShardClaimerParts) {
    this.#parts = parts
  }

  recheck(): void {
    this.#mayWait = true
  }

  /** Leases up to `free` cells of own shards and, within the share, of one more; true if there were any. */
  async claim(free: number, held: Iterable<CellId>): Promise<boolean> {
    const { ledger, incarnation, leaseMs, leastDelayMs } = this.#parts
    if (!this.#mayWait || free <= 0) return false
    this.#mayWait = false
    await this.#countMembers()
    const limit = Math.min(Math.max(free, LEAST_READ_CELLS), MOST_READ_CELLS)
    const waiting = await ledger.waiting(limit, [incarnation])
    const picked = this.#pick(waiting, new Set([...held].map(shardOf))).slice(0, free)
    if (waiting.length > picked.length || waiting.length === limit) this.#mayWait = true
    if (picked.length === 0) return false
    await ledger.grant(incarnation, picked, leaseMs, leastDelayMs())
    return true
  }

  /** A shard to release, if the agent holds more than its share; else null. */
  excess(held: Iterable<CellId>): number | null {
    const now = this.#parts.clock.monotonic()
    const shards = new Set([...held].map(shardOf))
    if (this.#agents.length === 0 || shards.size <= this.#share) {
      this.#excessSince = null
      return null
    }
    this.#excessSince ??= now
    if (
      now - this.#excessSince < SHARD_CLAIMER_EXCESS_MS ||
      now - this.#releasedAt < RELEASE_PAUSE_MS / shards.size
    )
      return null
    this.#releasedAt = now
    return Math.max(...shards)
  }

  /** Called with every heartbeat: cells may wait, and a surplus shard is released. */
  apply(
    waiting: number,
    held: Iterable<CellId>,
    release: (which: (site: { readonly cell: CellId }) => boolean) => void,
  ): void {
    if (waiting > 0) this.recheck()
    const excess = this.excess(held)
    if (excess !== null) release(({ cell }) => shardOf(cell) === excess)
  }

  get #share(): number {
    return Math.ceil(this.#parts.shards / Math.max(1, this.#agents.length))
  }

  async #countMembers(): Promise<void> {
    const { clock, ledger } = this.#parts
    const now = clock.monotonic()
    if (now < this.#membersCountedAt) return
    this.#membersCountedAt = now + MEMBER_COUNT_MS
    const rows = await ledger.agents()
    this.#agents = rows.filter(({ lanes }) => lanes > 0).map(({ incarnation }) => incarnation)
  }

  #pick(waiting: readonly WaitingCell[], held: ReadonlySet<number>): CellId[] {
    const { incarnation } = this.#parts
    const free = new Set<number>()
    for (const { group, turnOf } of waiting) if (turnOf === null) free.add(shardOf(group))
    const taken = this.#nextShard(free, held)
    return waiting
      .filter(({ group, turnOf }) => turnOf === incarnation || (turnOf === null && shardOf(group) === taken))
      .map(({ cell }) => cell)
  }

  /** The free shard to claim next. Agents start at different shards, or all would claim the same one. */
  #nextShard(free: ReadonlySet<number>, held: ReadonlySet<number>): number | null {
    const now = this.#parts.clock.monotonic()
    for (const shard of this.#orphans.keys()) if (!free.has(shard)) this.#orphans.delete(shard)
    for (const shard of free) if (!this.#orphans.has(shard)) this.#orphans.set(shard, now)
    const { shards, incarnation } = this.#parts
    const first = Math.max(0, this.#agents.indexOf(incarnation))
    const turn = (shard: number) => (shard - first + shards) % shards
    const inTurn = [...free].sort((a, b) => turn(a) - turn(b))
    if (held.size < this.#share) return inTurn[0] ?? null
    return inTurn.find(shard => now - this.#orphans.get(shard)! >= SHARD_CLAIMER_ORPHAN_MS) ?? null
  }
}
