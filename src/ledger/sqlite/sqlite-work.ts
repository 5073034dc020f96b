/**
 * What agents and their lanes did and heard of each other: the rows behind the figures of the report (D23).
 */
import type { AgentWork, LaneWork, Pack } from '../index.js'
import type { SqliteDatabase } from './sqlite-database.js'

const FINGERPRINT_BYTES = 8

export class SqliteWork {
  readonly #db: SqliteDatabase

  constructor(db: SqliteDatabase) {
    this.#db = db
  }

  /** Part of the transaction that commits the pack. */
  add({ incarnation, lanes, received }: Pick<Pack, 'incarnation' | 'lanes' | 'received'>): void {
    const agent = String(this.#db.first('SELECT name FROM agent WHERE incarnation = ?', incarnation)![0])
    if (lanes.length > 0) {
      this.#db.run(
        `INSERT INTO lane_work SELECT ?, value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true
         ON CONFLICT (agent, lane) DO UPDATE SET pages = pages + excluded.pages, fetch_ms = fetch_ms + excluded.fetch_ms`,
        agent,
        JSON.stringify(lanes.map(({ lane, pages, fetchMs }) => [lane, pages, fetchMs])),
      )
    }
    if (received.links === 0) return
    this.#db.run(
      `UPDATE agent SET links = links + ?, messages = messages + ?, coalesced = coalesced + ? WHERE incarnation = ?`,
      received.links,
      received.pages.length / FINGERPRINT_BYTES,
      received.sites.length / FINGERPRINT_BYTES,
      incarnation,
    )
    if (received.pages.length > 0)
      this.#db.run(
        'INSERT INTO heard (agent, pages, sites) VALUES (?, ?, ?)',
        agent,
        received.pages,
        received.sites,
      )
  }

  readHeard(
    agent: string,
    after: number,
    limit: number,
  ): { number: number; pages: Uint8Array; sites: Uint8Array }[] {
    return this.#db
      .all(
        'SELECT number, pages, sites FROM heard WHERE agent = ? AND number > ? ORDER BY number LIMIT ?',
        agent,
        after,
        limit,
      )
      .map(([number, pages, sites]) => ({
        number: Number(number),
        pages: pages as Buffer,
        sites: sites as Buffer,
      }))
  }

  agentWork(): AgentWork[] {
    return this.#db
      .all(
        `SELECT name, count(*), sum(pages), sum(bytes), sum(fetch_ms),
           sum(iif(open, fetches, max(fetches, coalesce(status ->> 'fetches', 0)))), sum(links), sum(messages),
           sum(coalesced) FROM agent WHERE lanes > 0 GROUP BY name ORDER BY name`,
      )
      .map(([name, ...sums]) => {
        const [lives, pages, bytes, fetchMs, fetches, links, messages, coalescedMessages] = sums.map(Number)
        const lanes = this.#lanesOf(String(name))
        return {
          name: String(name),
          lives,
          pages,
          bytes,
          fetchMs,
          fetches,
          links,
          messages,
          coalescedMessages,
          lanes,
        }
      })
  }

  #lanesOf(agent: string): LaneWork[] {
    return this.#db
      .all('SELECT lane, pages, fetch_ms FROM lane_work WHERE agent = ? ORDER BY lane', agent)
      .map(([lane, pages, fetchMs]) => ({
        lane: Number(lane),
        pages: Number(pages),
        fetchMs: Number(fetchMs),
      }))
  }
}
