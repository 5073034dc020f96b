/** Which incarnations are alive, judged by their heartbeats. */

import type { Millis } from '../model/index.js'
import type { AgentRow } from './ledger-rows.js'
import { SILENT_AFTER_MS } from './limits.js'

/**
 * The time since the last heartbeat of an agent, measured against the latest heartbeat of any agent: the
 * reader's clock may differ from the ledger's.
 */
export function silenceOf(rows: readonly AgentRow[]): (row: AgentRow) => Millis {
  const last = rows.reduce((latest, { heartbeatAt }) => Math.max(latest, heartbeatAt), 0)
  return ({ heartbeatAt }) => last - heartbeatAt
}

export function withHeartbeat(rows: readonly AgentRow[]): AgentRow[] {
  const silentMs = silenceOf(rows)
  return rows.filter(row => silentMs(row) < SILENT_AFTER_MS)
}
