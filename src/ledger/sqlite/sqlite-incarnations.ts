/** Incarnations of agents: who is there, who coordinates, and what of the page limit each has reserved. */
import type { Epoch, Millis } from '../../model/index.js'
import type { AgentRow, Incarnation } from '../index.js'
import { budgetBlock, hasExpired } from '../rules/index.js'
import type { SqliteDatabase } from './sqlite-database.js'

export class SqliteIncarnations {
  readonly #db: SqliteDatabase
  readonly #now: () => Millis

  constructor(db: SqliteDatabase, now: () => Millis) {
    this.#db = db
    this.#now = now
  }

  join(agent: string, lanes = 1): Incarnation {
    const now = this.#now()
    const row = this.#db.first(
      `INSERT INTO agent (name, open, started_at, heartbeat_at, budget, status, lanes)
       VALUES (?1, 1, ?2, ?2, 0, '{}', ?3) RETURNING incarnation`,
      agent,
      now,
      lanes,
    )
    return Number(row![0])
  }

  isOpen(incarnation: Incarnation): boolean {
    return this.#db.first('SELECT 1 FROM agent WHERE incarnation = ? AND open = 1', incarnation) !== undefined
  }

  /** The ledger itself was away, or nobody at all was heard: everybody gets the time to speak again. */
  silent(silentMs: Millis): Incarnation[] {
    const now = this.#now()
    return this.#db
      .all(
        `SELECT incarnation FROM agent, crawl WHERE open = 1 AND heartbeat_at < ?1 AND gap_until <= ?2
         AND (last_heartbeat = 0 OR last_heartbeat >= ?1) ORDER BY incarnation DESC`,
        now - silentMs,
        now,
      )
      .map(([incarnation]) => Number(incarnation))
  }

  takeSeat(incarnation: Incarnation, leaseMs: Millis): Epoch | null {
    const now = this.#now()
    if (!this.isOpen(incarnation)) return null
    const [holder, ...times] = this.#db.first(
      'SELECT seat_agent, seat_until, gap_until, last_heartbeat FROM crawl',
    )!
    const [until, gapUntil, lastHeartbeat] = times.map(Number)
    const isExpired = hasExpired(until, now, { gapUntil, lastHeartbeat })
    const isFree = holder === null || !this.isOpen(Number(holder)) || isExpired
    if (holder !== incarnation && !isFree) return null
    const [epoch] = this.#db.first(
      `UPDATE crawl SET seat_epoch = seat_epoch + (seat_agent IS NOT ?1), seat_agent = ?1, seat_until = ?2
       RETURNING seat_epoch`,
      incarnation,
      now + leaseMs,
    )!
    return Number(epoch)
  }

  /**
   * What one incarnation holds is what it says; the others' count as the ledger knows them. Several
   * incarnations share what is left.
   */
  takeBudget(incarnation: Incarnation, held: number, want: number): { granted: number; outstanding: number } {
    const [max, pages] = this.#db.first('SELECT max_pages, pages FROM crawl')!
    if (max === null) return { granted: want, outstanding: 0 }
    if (!this.isOpen(incarnation)) return { granted: 0, outstanding: 0 }
    const [heldByOthers, others] = this.#db
      .first(
        `SELECT coalesce(sum(budget), 0), count(*) FROM agent WHERE open = 1 AND lanes > 0 AND incarnation <> ?`,
        incarnation,
      )!
      .map(Number)
    const limit = { maxPages: Number(max), pages: Number(pages), others, heldByOthers }
    const block = budgetBlock(limit, held, want)
    this.#db.run('UPDATE agent SET budget = ? WHERE incarnation = ?', held + block.granted, incarnation)
    return block
  }

  /** Of an incarnation that crawls: its part of what the crawl may use in all. */
  share(incarnation: Incarnation): number {
    const [incarnations, own] = this.#db
      .first(
        `SELECT count(*), coalesce(sum(incarnation = ?), 0) FROM agent WHERE open = 1 AND lanes > 0`,
        incarnation,
      )!
      .map(Number)
    return own === 0 ? 0 : 1 / incarnations
  }

  agents(): AgentRow[] {
    return this.#db
      .all(
        `SELECT name, incarnation, open, heartbeat_at, status, lanes,
           (SELECT count(*) FROM cell WHERE agent = incarnation AND grant_number > coalesce(status ->> 'seen', 0))
         FROM agent WHERE open = 1 ORDER BY incarnation`,
      )
      .map(([name, incarnation, open, heartbeatAt, status, lanes, unseen]) => ({
        name: String(name),
        incarnation: Number(incarnation),
        open: open === 1,
        heartbeatAt: Number(heartbeatAt),
        status: String(status),
        lanes: Number(lanes),
        unseen: Number(unseen),
      }))
  }
}
