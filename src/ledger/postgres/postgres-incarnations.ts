/** Incarnations of agents: who is there, who has the coordinator's seat, who may use how much. */
import type { Epoch, Millis } from '../../model/index.js'
import type { AgentRow, Incarnation } from '../index.js'
import { budgetBlock, hasExpired } from '../rules/index.js'
import { TIMELINE } from './postgres-crawls.js'
import type { PostgresDatabase, Transaction } from './postgres-database.js'

/**
 * A server that was promoted may not have all that the last one has answered: what an incarnation remembers
 * of it (queues, leases, links it has sent) may not be so. It commits nothing more, and is told to begin
 * anew. Who only coordinates remembers nothing.
 */
export const IS_OF_THIS_TIMELINE = `(agent.lanes = 0 OR agent.timeline = ${TIMELINE})`

export async function join(tx: Transaction, agent: string, lanes = 1): Promise<Incarnation> {
  const row = await tx.first(
    `INSERT INTO agent (name, open, started_at, heartbeat_at, budget, status, lanes, timeline)
     VALUES ($1, 1, $2, $2, 0, '{}', $3, ${TIMELINE}) RETURNING incarnation`,
    agent,
    tx.now,
    lanes,
  )
  return Number(row![0])
}

async function isOpen(tx: Transaction, incarnation: Incarnation): Promise<boolean> {
  return (
    (await tx.first('SELECT 1 FROM agent WHERE incarnation = $1 AND open = 1', incarnation)) !== undefined
  )
}

/** The ledger itself was away, or nobody at all was heard: everybody gets the time to speak again. */
export async function silentIncarnations(tx: Transaction, silentMs: Millis): Promise<Incarnation[]> {
  const rows = await tx.all(
    `SELECT incarnation FROM agent, crawl WHERE open = 1 AND heartbeat_at < $1 AND gap_until <= $2
     AND (last_heartbeat = 0 OR last_heartbeat >= $1) ORDER BY incarnation DESC`,
    tx.now - silentMs,
    tx.now,
  )
  return rows.map(([incarnation]) => Number(incarnation))
}

export async function takeSeat(
  tx: Transaction,
  incarnation: Incarnation,
  leaseMs: Millis,
): Promise<Epoch | null> {
  const [holder, ...times] = (await tx.first(
    'SELECT seat_agent, seat_until, gap_until, last_heartbeat FROM crawl FOR NO KEY UPDATE',
  ))!
  if (!(await isOpen(tx, incarnation))) return null
  const [until, gapUntil, lastHeartbeat] = times.map(Number)
  const isExpired = hasExpired(until, tx.now, { gapUntil, lastHeartbeat })
  const isFree = holder === null || isExpired || !(await isOpen(tx, Number(holder)))
  if (holder !== incarnation && !isFree) return null
  const [epoch] = (await tx.first(
    `UPDATE crawl SET seat_epoch = seat_epoch + CASE WHEN seat_agent IS DISTINCT FROM $1 THEN 1 ELSE 0 END,
       seat_agent = $1, seat_until = $2 RETURNING seat_epoch`,
    incarnation,
    tx.now + leaseMs,
  ))!
  return Number(epoch)
}

/**
 * What one incarnation holds is what it says; the others' count as the ledger knows them. Several
 * incarnations share what is left, one after the other: the crawl row is locked, behind the incarnation's
 * own, the order that a heartbeat has.
 */
export async function takeBudget(
  tx: Transaction,
  incarnation: Incarnation,
  held: number,
  want: number,
): Promise<{ granted: number; outstanding: number }> {
  const [unlimited] = (await tx.first('SELECT max_pages IS NULL FROM crawl'))!
  if (unlimited) return { granted: want, outstanding: 0 }
  const own = await tx.first('SELECT open FROM agent WHERE incarnation = $1 FOR NO KEY UPDATE', incarnation)
  if (own?.[0] !== 1) return { granted: 0, outstanding: 0 }
  const [max] = (await tx.first('SELECT max_pages FROM crawl FOR NO KEY UPDATE'))!
  const [pages, heldByOthers, others] = (await tx.first(
    `SELECT coalesce(sum(pages), 0),
         coalesce(sum(budget) FILTER (WHERE open = 1 AND lanes > 0 AND incarnation <> $1), 0),
         count(*) FILTER (WHERE open = 1 AND lanes > 0 AND incarnation <> $1) FROM agent`,
    incarnation,
  ))!.map(Number)
  const limit = { maxPages: max === null ? null : Number(max), pages, others, heldByOthers }
  const block = budgetBlock(limit, held, want)
  await tx.run('UPDATE agent SET budget = $1 WHERE incarnation = $2', held + block.granted, incarnation)
  return block
}

/** Of an incarnation that crawls: its part of what the crawl may use in all. */
export async function shareOf(tx: Transaction, incarnation: Incarnation): Promise<number> {
  const [incarnations, own] = (await tx.first(
    'SELECT count(*), count(*) FILTER (WHERE incarnation = $1) FROM agent WHERE open = 1 AND lanes > 0',
    incarnation,
  ))!.map(Number)
  return own === 0 ? 0 : 1 / incarnations
}

export async function readAgents(db: PostgresDatabase): Promise<AgentRow[]> {
  const rows = await db.all(
    `SELECT name, incarnation, open, heartbeat_at, status, lanes,
       (SELECT count(*) FROM cell WHERE cell.agent = incarnation
          AND grant_number > coalesce((status::json ->> 'seen')::numeric, 0))
     FROM agent WHERE open = 1 ORDER BY incarnation`,
  )
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
