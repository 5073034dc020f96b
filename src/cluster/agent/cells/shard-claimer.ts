/**
 * Under `phases` an agent takes its cells itself, without a coordinator (K1). It leases shards, each with all
 * cells of it: the first cell of a shard that nobody has brings the shard's turn, and while that is held no
 * other agent can have a cell of it. Everybody takes a fair share of the shards, one at a time; what nobody
 * has taken for a while, such as the shard of a node that died, goes to whoever sees it. Who has more than
 * his share when others have come gives one back.
 */

import type { Incarnation, Ledger, WaitingCell } from '../../../ledger/index.js'
import type { CellId, Clock, Millis } from '../../../model/index.js'
import { shardOf } from '../../../page/politeness/phases/index.js'

export interface ShardClaimerParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly incarnation: Incarnation
  readonly leaseMs: Millis
  readonly leastDelayMs: () => Millis
  /** Nnode. */
  readonly shards: number
}

/** Cells of S that are looked at, at least and at most. */
const LEAST_LOOK = 100
const MOST_LOOK = 2_000
/** A shard that waits for this long is anybody's. */
const ORPHAN_MS = 3_000
/** How often the number of agents is asked for. */
const MEMBER_COUNT_MS = 2_000
/** One shard too many is given back after this: who starts first has all of them for a moment. */
const EXCESS_MS = 5_000
/** After that none is for so long: others may have no use for it. */
const GIVE_PAUSE_MS = 60_000

export class ShardClaimer {
  readonly #parts: ShardClaimerParts
  /** Something may wait. */
  #mayWait = true
  #agents: readonly Incarnation[] = []
  #membersCountedAt: Millis = Number.NEGATIVE_INFINITY
  /** Since when shards are seen to be nobody's. */
  readonly #orphans = new Map<number, Millis>()
  #excessSince: Millis | null = null
  #gaveAt: Millis = Number.NEGATIVE_INFINITY

  constructor(parts: ShardClaimerParts) {
    this.#parts = parts
  }

  recheck(): void {
    this.#mayWait = true
  }

  /**
   * Leases up to `free` cells of our shards, and one more shard where that is our share; true when there were
   * any.
   */
  async take(free: number, held: Iterable<CellId>): Promise<boolean> {
    const { ledger, incarnation, leaseMs, leastDelayMs } = this.#parts
    if (!this.#mayWait || free <= 0) return false
    this.#mayWait = false
    await this.#countMembers()
    const limit = Math.min(Math.max(free, LEAST_LOOK), MOST_LOOK)
    const waiting = await ledger.waiting(limit, [incarnation])
    const picked = this.#pick(waiting, new Set([...held].map(shardOf))).slice(0, free)
    if (waiting.length > picked.length || waiting.length === limit) this.#mayWait = true
    if (picked.length === 0) return false
    await ledger.grant(incarnation, picked, leaseMs, leastDelayMs())
    return true
  }

  /** A shard to give back, when there are more in hand than our share; null when there is none. */
  excess(held: Iterable<CellId>): number | null {
    const now = this.#parts.clock.monotonic()
    const shards = new Set([...held].map(shardOf))
    if (this.#agents.length === 0 || shards.size <= this.#share) {
      this.#excessSince = null
      return null
    }
    this.#excessSince ??= now
    if (now - this.#excessSince < EXCESS_MS || now - this.#gaveAt < GIVE_PAUSE_MS / shards.size) return null
    this.#gaveAt = now
    return Math.max(...shards)
  }

  /** With every heartbeat: cells may wait, and a shard too many goes back. */
  claimIfDue(
    waiting: number,
    held: Iterable<CellId>,
    giveBack: (which: (site: { readonly cell: CellId }) => boolean) => void,
  ): void {
    if (waiting > 0) this.recheck()
    const excess = this.excess(held)
    if (excess !== null) giveBack(({ cell }) => shardOf(cell) === excess)
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
    const taken = this.#claim(free, held)
    return waiting
      .filter(({ group, turnOf }) => turnOf === incarnation || (turnOf === null && shardOf(group) === taken))
      .map(({ cell }) => cell)
  }

  /**
   * The shard that we take next of those that nobody has. Agents begin at different ones, or they would all
   * want the same.
   */
  #claim(free: ReadonlySet<number>, held: ReadonlySet<number>): number | null {
    const now = this.#parts.clock.monotonic()
    for (const shard of this.#orphans.keys()) if (!free.has(shard)) this.#orphans.delete(shard)
    for (const shard of free) if (!this.#orphans.has(shard)) this.#orphans.set(shard, now)
    const { shards, incarnation } = this.#parts
    const first = Math.max(0, this.#agents.indexOf(incarnation))
    const turn = (shard: number) => (shard - first + shards) % shards
    const inTurn = [...free].sort((a, b) => turn(a) - turn(b))
    if (held.size < this.#share) return inTurn[0] ?? null
    return inTurn.find(shard => now - this.#orphans.get(shard)! >= ORPHAN_MS) ?? null
  }
}
