/** Who is at work on a crawl whose ledger is in a database: no lock says it, only heartbeats do. */
import { HEARTBEAT_MS } from '../cluster/agent/heartbeat/index.js'
import {
  type AgentRow,
  type Incarnation,
  type Ledger,
  SILENT_AFTER_MS,
  seatStatusOf,
} from '../ledger/index.js'
import { type Millis, sleep } from '../model/index.js'
import { DirectoryBusyError } from '../runtime/index.js'
import { systemClock as clock } from './system-clock.js'

const LOOK_MS = 200

/** Whether anybody is heard from. At once when nobody could be, or as soon as somebody is. */
export async function hasRunningAgents(ledger: Ledger): Promise<boolean> {
  const { heard } = await listen(ledger, 3 * HEARTBEAT_MS, () => true)
  return heard.length > 0
}

/**
 * For a resume: who beats is left alone, the others' incarnations are ended. Refused while somebody
 * coordinates: two would lose nothing, but one of them was not meant.
 */
export async function closeSilentIncarnations(ledger: Ledger, crawl: string, leaseMs: Millis): Promise<void> {
  const { heard, silent } = await listen(ledger, Math.min(SILENT_AFTER_MS, leaseMs / 2), isCoordinating)
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
 * The incarnations that beat between now and `forMs` later, and those that did not; over as soon as one is
 * `enough`.
 */
async function listen(
  ledger: Ledger,
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
    await sleep(clock, LOOK_MS)
  }
}
