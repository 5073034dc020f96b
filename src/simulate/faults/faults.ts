/** The faults of a run, drawn from a seed: a plain list, so that `shrink` can make it shorter. */

import type { Millis, Random } from '../../model/index.js'
import { LEASE_MS } from '../limits.js'

type FaultKind =
  /** The process ends; what it had not flushed is lost. */
  | 'kill'
  /** Like `kill`, at the time when its next pack is stored and not yet committed. */
  | 'kill-after-store'
  /** Frozen for longer than its leases; then it continues. */
  | 'zombie'
  /** Frozen for less than a lease. */
  | 'pause'
  | 'join'
  /** The machine cannot reach the ledger. */
  | 'partition'
  | 'clock-jump'
  | 'slow-disk'
  | 'full-disk'
  | 'slow-agent'
  /** Nobody can reach the ledger. */
  | 'ledger-outage'
  | 'slow-ledger'
  /** Commits are carried out, and half of the answers are lost. */
  | 'lost-answers'

export interface Fault {
  readonly kind: FaultKind
  /** The fault occurs after this share of the requests of an undisturbed crawl. */
  readonly after: number
  /** A number that selects one of the running agents. */
  readonly agent: number
  /** How long the fault lasts; for a kill, the time until the agent is started again. */
  readonly forMs: Millis
  /** The size of a clock jump. */
  readonly byMs: Millis
  /** For a kill: the incarnation is closed at once. Otherwise its leases expire. */
  readonly isSeen: boolean
}

export const FAULT_PRESETS = ['none', 'light', 'heavy'] as const
export type FaultPreset = (typeof FAULT_PRESETS)[number]

/** An incarnation without a heartbeat for this long is closed. */
export const SILENCE_MS = 2 * LEASE_MS
/** Kinds that stand here twice are drawn twice as often. */
const KINDS = (
  'kill kill-after-store kill-after-store zombie pause join partition clock-jump slow-disk full-disk ' +
  'slow-agent ledger-outage slow-ledger lost-answers lost-answers'
).split(' ') as FaultKind[]

/** Draws faults; a kill and a zombie are always among them. */
export function drawFaults(preset: FaultPreset, agents: number, random: Random): Fault[] {
  if (preset === 'none') return []
  const count = preset === 'light' ? 5 : 8 + Math.ceil(agents / 5)
  const kinds: FaultKind[] = ['kill-after-store', 'zombie', 'lost-answers']
  while (kinds.length < count) kinds.push(KINDS[Math.floor(random.next() * KINDS.length)])
  return kinds.map(kind => draw(kind, agents, random)).sort((a, b) => a.after - b.after)
}

function draw(kind: FaultKind, agents: number, random: Random): Fault {
  return {
    kind,
    after: 0.02 + 0.8 * random.next(),
    agent: Math.floor(random.next() * agents),
    forMs: Math.round(lengthOf(kind) * (0.75 + random.next() / 2)),
    byMs: Math.round((random.next() - 0.5) * 2 * 60_000),
    isSeen: random.next() < 0.5,
  }
}

function lengthOf(kind: FaultKind): Millis {
  switch (kind) {
    case 'zombie':
      // Some return before their incarnation is closed, some after.
      return 1.8 * LEASE_MS
    case 'pause':
      return LEASE_MS / 3
    case 'partition':
    case 'ledger-outage':
      return LEASE_MS
    default:
      return 10_000
  }
}
