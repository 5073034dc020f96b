/** Reads the open agents, and the figures of their work for the report (D23). */
import { addTo } from '../../model/index.js'
import type {
  AgentRow,
  AgentWork,
  Incarnation,
  LaneWork,
  Pack,
  PackCell,
  ReceivedMessages,
} from '../index.js'
import type { Steps } from './sql-steps.js'

const FINGERPRINT_BYTES = 8

export function* agents(): Steps<AgentRow[]> {
  const rows = yield [
    `SELECT name, incarnation, open, heartbeat_at, status, lanes,
       (SELECT count(*) FROM cell WHERE cell.agent = incarnation
          AND grant_number > coalesce((status::json ->> 'seen')::numeric, 0))
     FROM agent WHERE open = 1 ORDER BY incarnation`,
  ]
  return rows.map(([name, incarnation, open, heartbeatAt, status, lanes, unseen]) => ({
    name: String(name),
    incarnation: Number(incarnation),
    open: open === 1,
    heartbeatAt: Number(heartbeatAt),
    status: String(status),
    lanes: Number(lanes),
    unseen: Number(unseen),
  }))
}

export function* agentWork(): Steps<AgentWork[]> {
  const rows = yield [
    `SELECT name, count(*), sum(pages), sum(bytes), sum(fetch_ms),
       sum(CASE WHEN open = 1 THEN fetches
           ELSE greatest(fetches, coalesce((status::json ->> 'fetches')::numeric, 0)) END),
       sum(links), sum(messages), sum(coalesced) FROM agent WHERE lanes > 0 GROUP BY name ORDER BY name`,
  ]
  const lanesOf = yield* lanesByAgent()
  return rows.map(([name, ...sums]) => {
    const [incarnations, pages, bytes, fetchMs, fetches, links, messages, coalescedMessages] =
      sums.map(Number)
    const lanes = lanesOf.get(String(name)) ?? []
    const received = { links, messages, coalescedMessages }
    return { name: String(name), incarnations, pages, bytes, fetchMs, fetches, ...received, lanes }
  })
}

function* lanesByAgent(): Steps<Map<string, LaneWork[]>> {
  const lanes = new Map<string, LaneWork[]>()
  const rows = yield ['SELECT agent, lane, pages, fetch_ms FROM lane_work ORDER BY agent, lane']
  for (const [agent, lane, pages, fetchMs] of rows) {
    const work = { lane: Number(lane), pages: Number(pages), fetchMs: Number(fetchMs) }
    addTo(lanes, String(agent), work)
  }
  return lanes
}

/** Part of the transaction that commits a pack: what it adds to the figures of its agent. */
export function* addWork({ incarnation, cells, fetches, lanes, received }: PackWork): Steps<void> {
  const sum = (of: (cell: PackCell) => number) => cells.reduce((total, cell) => total + of(cell), 0)
  yield [
    `UPDATE agent SET budget = greatest(0, budget - $1), pages = pages + $1, bytes = bytes + $2,
       fetch_ms = fetch_ms + $3, fetches = greatest(fetches, $4) WHERE incarnation = $5`,
    sum(cell => cell.pages),
    sum(cell => cell.bytes),
    Math.round(sum(cell => cell.fetchMs)),
    fetches,
    incarnation,
  ]
  if (lanes.length > 0)
    yield [
      `INSERT INTO lane_work (agent, lane, pages, fetch_ms)
       SELECT a.name, w.lane, sum(w.pages), sum(w.ms)
       FROM agent a, json_to_recordset($2::json) AS w (lane bigint, pages bigint, ms float8)
       WHERE a.incarnation = $1 GROUP BY a.name, w.lane ORDER BY w.lane
       ON CONFLICT (agent, lane) DO UPDATE SET
         pages = lane_work.pages + excluded.pages, fetch_ms = lane_work.fetch_ms + excluded.fetch_ms`,
      incarnation,
      JSON.stringify(lanes.map(({ lane, pages, fetchMs }) => ({ lane, pages, ms: fetchMs }))),
    ]
  yield* addReceived(incarnation, received)
}

type PackWork = Pick<Pack, 'incarnation' | 'cells' | 'fetches' | 'lanes' | 'received'>

function* addReceived(incarnation: Incarnation, received: ReceivedMessages): Steps<void> {
  if (received.links === 0) return
  yield [
    `UPDATE agent SET links = links + $1, messages = messages + $2, coalesced = coalesced + $3
     WHERE incarnation = $4`,
    received.links,
    received.pages.length / FINGERPRINT_BYTES,
    received.sites.length / FINGERPRINT_BYTES,
    incarnation,
  ]
  if (received.pages.length > 0)
    yield [
      `INSERT INTO heard (agent, pages, sites) SELECT name, $2, $3 FROM agent WHERE incarnation = $1`,
      incarnation,
      received.pages,
      received.sites,
    ]
}

export function* readHeard(
  agent: string,
  after: number,
  limit: number,
): Steps<{ number: number; pages: Uint8Array; sites: Uint8Array }[]> {
  const rows = yield [
    'SELECT number, pages, sites FROM heard WHERE agent = $1 AND number > $2 ORDER BY number LIMIT $3',
    agent,
    after,
    limit,
  ]
  return rows.map(([number, pages, sites]) => ({
    number: Number(number),
    pages: pages as Buffer,
    sites: sites as Buffer,
  }))
}
