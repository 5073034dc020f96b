/**
 * What agents and their lanes did and heard of each other: the rows behind the figures of the report (D23).
 */
import type { AgentWork, LaneWork, Pack } from '../index.js'
import type { PostgresDatabase, Transaction } from './postgres-database.js'

const FINGERPRINT_BYTES = 8

/** Part of the transaction that commits the pack. */
export async function addWork(
  tx: Transaction,
  { incarnation, lanes, received }: Pick<Pack, 'incarnation' | 'lanes' | 'received'>,
): Promise<void> {
  if (lanes.length > 0)
    await tx.run(
      `INSERT INTO lane_work (agent, lane, pages, fetch_ms)
       SELECT a.name, w.lane, sum(w.pages), sum(w.ms)
       FROM agent a, unnest($2::bigint[], $3::bigint[], $4::float8[]) AS w (lane, pages, ms)
       WHERE a.incarnation = $1 GROUP BY a.name, w.lane ORDER BY w.lane
       ON CONFLICT (agent, lane) DO UPDATE SET
         pages = lane_work.pages + excluded.pages, fetch_ms = lane_work.fetch_ms + excluded.fetch_ms`,
      incarnation,
      lanes.map(({ lane }) => lane),
      lanes.map(({ pages }) => pages),
      lanes.map(({ fetchMs }) => fetchMs),
    )
  if (received.links === 0) return
  await tx.run(
    `UPDATE agent SET links = links + $1, messages = messages + $2, coalesced = coalesced + $3
     WHERE incarnation = $4`,
    received.links,
    received.pages.length / FINGERPRINT_BYTES,
    received.sites.length / FINGERPRINT_BYTES,
    incarnation,
  )
  if (received.pages.length > 0)
    await tx.run(
      'INSERT INTO heard (agent, pages, sites) SELECT name, $2, $3 FROM agent WHERE incarnation = $1',
      incarnation,
      received.pages,
      received.sites,
    )
}

export async function readHeard(
  db: PostgresDatabase,
  agent: string,
  after: number,
  limit: number,
): Promise<{ number: number; pages: Uint8Array; sites: Uint8Array }[]> {
  const rows = await db.all(
    'SELECT number, pages, sites FROM heard WHERE agent = $1 AND number > $2 ORDER BY number LIMIT $3',
    agent,
    after,
    limit,
  )
  return rows.map(([number, pages, sites]) => ({
    number: Number(number),
    pages: pages as Buffer,
    sites: sites as Buffer,
  }))
}

export async function readAgentWork(db: PostgresDatabase): Promise<AgentWork[]> {
  const agents = await db.all(
    `SELECT name, count(*), sum(pages), sum(bytes), sum(fetch_ms),
       sum(CASE WHEN open = 1 THEN fetches
           ELSE greatest(fetches, coalesce((status::json ->> 'fetches')::numeric, 0)) END),
       sum(links), sum(messages), sum(coalesced) FROM agent WHERE lanes > 0 GROUP BY name ORDER BY name`,
  )
  const lanesOf = await readLanes(db)
  return agents.map(([name, ...sums]) => {
    const [lives, pages, bytes, fetchMs, fetches, links, messages, coalescedMessages] = sums.map(Number)
    const lanes = lanesOf.get(String(name)) ?? []
    const received = { links, messages, coalescedMessages }
    return { name: String(name), lives, pages, bytes, fetchMs, fetches, ...received, lanes }
  })
}

async function readLanes(db: PostgresDatabase): Promise<Map<string, LaneWork[]>> {
  const lanes = new Map<string, LaneWork[]>()
  const rows = await db.all('SELECT agent, lane, pages, fetch_ms FROM lane_work ORDER BY agent, lane')
  for (const [agent, lane, pages, fetchMs] of rows) {
    const work = { lane: Number(lane), pages: Number(pages), fetchMs: Number(fetchMs) }
    const known = lanes.get(String(agent))
    if (known) known.push(work)
    else lanes.set(String(agent), [work])
  }
  return lanes
}
