/** Which agents work on a crawl whose ledger is in a database: heartbeats show it, there is no lock. */

import { HEARTBEAT_MS } from '../../cluster/agent/heartbeat/index.js'
import {
  type AgentRow,
  type Incarnation,
  type Ledger,
  SILENT_AFTER_MS,
  seatStatusOf,
} from '../../ledger/index.js'
import { type Clock, type Millis, sleep } from '../../model/index.js'
import { DirectoryBusyError } from '../directory/index.js'
import { RUNNING_AGENTS_LOOK_MS } from '../limits.js'
import type { Platform } from '../platform/index.js'

/** Whether any agent sends heartbeats. Waits for the first, but not if the ledger lists no agent. */
export async function hasRunningAgents(ledger: Ledger, clock: Clock): Promise<boolean> {
  const { heard } = await listen(ledger, clock, 3 * HEARTBEAT_MS, () => true)
  return heard.length > 0
}

/**
 * For a resume: ends the incarnations that send no heartbeats. Throws while another process coordinates: two
 * would lose nothing, but the user did not mean to start a second one.
 */
export async function closeSilentIncarnations(
  ledger: Ledger,
  crawl: string,
  { clock, leaseMs }: Pick<Platform, 'clock' | 'leaseMs'>,
): Promise<void> {
  const { heard, silent } = await listen(
    ledger,
    clock,
    Math.min(SILENT_AFTER_MS, leaseMs / 2),
    isCoordinating,
  )
  if (heard.some(isCoordinating)) throw alreadyRunningError(crawl)
  for (const incarnation of silent) await ledger.leave(incarnation)
}

export function alreadyRunningError(crawl: string): DirectoryBusyError {
  return new DirectoryBusyError(
    `the crawl "${crawl}" is at work already: join it with "orbweaver agent", or stop it first`,
  )
}

function isCoordinating(row: AgentRow): boolean {
  return seatStatusOf(row) !== null
}

/**
 * The incarnations that send a heartbeat between now and `forMs` later, and those that do not. Ends early
 * when all have sent one, or when one for which `enough` is true has sent one.
 */
async function listen(
  ledger: Ledger,
  clock: Clock,
  forMs: Millis,
  enough: (row: AgentRow) => boolean,
): Promise<{ readonly heard: readonly AgentRow[]; readonly silent: readonly Incarnation[] }> {
  const first = new Map((await ledger.agents()).map(row => [row.incarnation, row.heartbeatAt]))
  const until = clock.monotonic() + forMs
  for (;;) {
    const rows = await ledger.agents()
    const isHeard = ({ incarnation, heartbeatAt }: AgentRow) => first.get(incarnation) !== heartbeatAt
    const heard = rows.filter(isHeard)
    const silent = rows.filter(row => !isHeard(row)).map(({ incarnation }) => incarnation)
    if (silent.length === 0 || heard.some(enough) || clock.monotonic() > until) return { heard, silent }
    await sleep(clock, RUNNING_AGENTS_LOOK_MS)
  }
}
