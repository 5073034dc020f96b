/** The status that the holder of the coordinator's seat sends with every heartbeat. */
import type { Epoch } from '../model/index.js'
import type { AgentRow } from './ledger-rows.js'

export interface SeatStatus {
  readonly seat: Epoch
  /** The pack endpoint for agents that do not see the store; null without one. */
  readonly place: { readonly machine: string; readonly host: string; readonly port: number } | null
}

/** Null when the incarnation does not coordinate. */
export function seatStatusOf({ status, lanes }: AgentRow): SeatStatus | null {
  if (lanes > 0) return null
  const { seat, place = null } = JSON.parse(status) as Partial<SeatStatus>
  return seat === undefined ? null : { seat, place }
}
