/**
 * S, the cells that wait, in their order: who is at the head, who joins the tail, who comes back, and why.
 */
import type { CellId, Millis } from '../../model/index.js'
import {
  type Incarnation,
  type LaneLoad,
  type LaneName,
  laneLoad,
  type WaitingCell,
  waitingCell,
} from '../index.js'
import type { SqliteDatabase } from './sqlite-database.js'
import type { SqliteTurns } from './sqlite-turns.js'

/** The site of a cell. */
const SITE = `CASE instr(c.cell, '#') WHEN 0 THEN c.cell ELSE substr(c.cell, 1, instr(c.cell, '#') - 1) END`

export class SqliteOrder {
  readonly #db: SqliteDatabase
  readonly #now: () => Millis
  readonly #turns: SqliteTurns

  constructor(db: SqliteDatabase, now: () => Millis, turns: SqliteTurns) {
    this.#db = db
    this.#now = now
    this.#turns = turns
  }

  waiting(limit: number, able?: readonly Incarnation[]): WaitingCell[] {
    this.reclaimExpired()
    this.wakeRested()
    return this.#db
      .all(
        `SELECT c.cell, c.grp, c.rank, max(c.size_estimate, c.pages), c.appended - c.consumed,
           coalesce(t.agent || ' ' || t.grp, (SELECT at.agent || ' ' || at.grp FROM address a
             JOIN turn at ON at.grp = a.address WHERE a.site = ${SITE} AND at.agent IS NOT NULL)),
           c.bound_agent, c.bound_lane
         FROM cell c LEFT JOIN turn t ON t.grp = c.grp
         WHERE c.state = 'waiting' AND (?1 IS NULL OR t.agent IS NULL
             OR t.agent IN (SELECT value FROM json_each(?1))) ORDER BY c.rank LIMIT ?2`,
        able === undefined ? null : JSON.stringify(able),
        limit,
      )
      .map(waitingCell)
  }

  bind(cells: readonly (LaneName & { readonly cell: CellId })[]): void {
    for (const { cell, agent, lane } of cells)
      this.#db.run('UPDATE cell SET bound_agent = ?, bound_lane = ? WHERE cell = ?', agent, lane, cell)
  }

  laneLoads(): LaneLoad[] {
    return this.#db
      .all(
        `SELECT bound_agent, bound_lane, count(*), sum(max(1, size_estimate, pages)) FROM cell
         WHERE bound_agent IS NOT NULL GROUP BY bound_agent, bound_lane ORDER BY bound_agent, bound_lane`,
      )
      .map(laneLoad)
  }

  estimate(sizes: readonly { readonly cell: CellId; readonly size: number }[]): void {
    for (const { cell, size } of sizes)
      this.#db.run('UPDATE cell SET size_estimate = ? WHERE cell = ?', Math.round(size), cell)
  }

  rankBySize(): void {
    this.#db.run(
      `UPDATE cell SET rank = ranked.place + (SELECT next_rank FROM crawl)
       FROM (SELECT cell AS name, row_number() OVER (ORDER BY max(size_estimate, pages) DESC, rank) AS place
             FROM cell WHERE state = 'waiting') AS ranked WHERE cell = ranked.name`,
    )
    this.#db.run(
      'UPDATE crawl SET next_rank = max(next_rank, (SELECT coalesce(max(rank), 0) FROM cell WHERE state = ?))',
      'waiting',
    )
  }

  defer(waits: readonly { readonly cell: CellId; readonly until: Millis }[]): void {
    for (const { cell, until } of waits)
      this.#db.run(
        `UPDATE cell SET state = 'resting', rank = ? WHERE cell = ? AND state = 'waiting'`,
        Math.ceil(until),
        cell,
      )
  }

  /**
   * Cells whose rest is over join the tail of the queue, and so do set-aside ones whose time comes while the
   * crawl still runs.
   */
  wakeRested(): void {
    const due = this.#db.all(
      `SELECT cell, rank FROM cell WHERE state = 'resting' AND rank <= ?1
       UNION ALL SELECT cell, rank FROM cell WHERE state = 'parked' AND rank BETWEEN 1 AND ?1 ORDER BY rank`,
      this.#now(),
    )
    for (const [cell] of due) this.toTail(String(cell))
  }

  /**
   * Leases that ended without a renewal: their cells go to the head of the queue, unless the ledger itself
   * was away, or nobody at all was heard since they ended: then the machine stood still, and its agents with
   * it. The turn of a group was held as long as the longest of its leases.
   */
  reclaimExpired(): void {
    const expired = this.#db.all(
      `SELECT cell, (SELECT max(mate.lease_until) FROM cell mate WHERE mate.agent = cell.agent AND mate.grp = cell.grp)
       FROM cell, crawl WHERE cell.state IN ('leased', 'draining') AND lease_until < ?1
       AND gap_until <= ?1 AND (last_heartbeat = 0 OR last_heartbeat >= lease_until) ORDER BY rank DESC`,
      this.#now(),
    )
    for (const [cell, heldUntil] of expired) this.toHead(String(cell), Number(heldUntil))
  }

  toHead(cell: CellId, heldUntil = 0): void {
    const [rank] = this.#db.first('UPDATE crawl SET first_rank = first_rank - 1 RETURNING first_rank')!
    this.#toWaiting(cell, Number(rank), heldUntil)
  }

  toTail(cell: CellId): void {
    this.#toWaiting(cell, this.#nextRank())
  }

  #nextRank(): number {
    const [rank] = this.#db.first('UPDATE crawl SET next_rank = next_rank + 1 RETURNING next_rank')!
    return Number(rank)
  }

  #toWaiting(cell: CellId, rank: number, heldUntil = 0): void {
    const now = this.#now()
    const [agent, group, until] = this.#db.first(
      'SELECT agent, grp, lease_until FROM cell WHERE cell = ?',
      cell,
    )!
    this.#db.run(
      `UPDATE cell SET state = 'waiting', agent = NULL, rank = ?, lease_until = min(lease_until, ?) WHERE cell = ?`,
      rank,
      now,
      cell,
    )
    const latest = Math.min(Math.max(Number(until), heldUntil), now)
    if (agent !== null) this.#turns.freeIfUnused(Number(agent), String(group), latest)
  }
}
