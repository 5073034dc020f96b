/** Incarnations of agents: how they begin and end. */
import type { Millis } from '../../model/index.js'
import type { Incarnation } from '../index.js'
import { openIncarnations, silentIncarnations } from '../sql/index.js'
import { TIMELINE } from './postgres-crawls.js'
import { answer, type Transaction } from './postgres-database.js'
import { HELD, LOCKED, lockedCell, toHead } from './postgres-order.js'
import { leaveTurns } from './postgres-turns.js'

/**
 * A server that was promoted may lack the last transactions of the old primary, so what an incarnation
 * remembers (queues, leases, links it has sent) may be wrong. The incarnation commits nothing more and must
 * start anew. A process that only coordinates remembers nothing.
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

/**
 * Ends an incarnation: frees the rest of its page budget and returns its cells to the head of the queue
 * (D16).
 */
export async function leave(tx: Transaction, incarnation: Incarnation): Promise<void> {
  await tx.all('SELECT 1 FROM agent WHERE incarnation = $1 FOR UPDATE', incarnation)
  await tx.run('UPDATE agent SET open = 0, budget = 0 WHERE incarnation = $1', incarnation)
  const held = await tx.all(
    `SELECT ${LOCKED} FROM cell WHERE agent = $1 AND ${HELD} ORDER BY cell FOR UPDATE`,
    incarnation,
  )
  await toHead(tx, held.map(lockedCell))
  await leaveTurns(tx, incarnation)
}

export async function closeSilent(tx: Transaction, silentMs: Millis): Promise<Incarnation[]> {
  const silent = await answer(tx, silentIncarnations(tx.now, silentMs))
  for (const incarnation of silent) await leave(tx, incarnation)
  return silent
}

export async function endAllLeases(tx: Transaction): Promise<void> {
  for (const incarnation of await answer(tx, openIncarnations())) await leave(tx, incarnation)
}
