/** Who of those in the ledger is still there, by their heartbeats. */
import type { Millis } from '../model/index.js'
import type { AgentRow } from './ledger-rows.js'

/** Whoever beats every second and was not heard for so long is gone, or stands still. */
export const SILENT_AFTER_MS: Millis = 5_000

/**
 * How long each has been silent, measured against the last heartbeat of anybody: the clock of the ledger may
 * be another than that of whoever looks. While a crawl runs, somebody beats every second.
 */
export function silenceOf(rows: readonly AgentRow[]): (row: AgentRow) => Millis {
  const last = rows.reduce((latest, { heartbeatAt }) => Math.max(latest, heartbeatAt), 0)
  return ({ heartbeatAt }) => last - heartbeatAt
}

export function withHeartbeat(rows: readonly AgentRow[]): AgentRow[] {
  const silentMs = silenceOf(rows)
  return rows.filter(row => silentMs(row) < SILENT_AFTER_MS)
}
