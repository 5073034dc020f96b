/**
 * What can go wrong, when, and to whom: drawn from a seed, and a plain list so that it can be made shorter.
 */
import type { Millis, Random } from '../model/index.js'

type FaultKind =
  /** The process is gone, with all that was not flushed. */
  | 'kill'
  /** The same between store and ledger of its next pack. */
  | 'kill-after-store'
  /** Stands still for longer than its lease, and goes on as if nothing had been. */
  | 'zombie'
  /** Stands still, but not that long. */
  | 'pause'
  | 'join'
  /** Cannot reach the ledger. */
  | 'partition'
  /** Its wall clock jumps. */
  | 'clock-jump'
  | 'slow-disk'
  | 'full-disk'
  | 'slow-agent'
  /** Nobody reaches the ledger. */
  | 'ledger-outage'
  | 'slow-ledger'
  /** Commits are carried out, and nobody is told. */
  | 'lost-answers'

export interface Fault {
  readonly kind: FaultKind
  /** Share of the requests of an undisturbed crawl after which it happens. */
  readonly after: number
  /** Counted over all agents. */
  readonly agent: number
  /** How long it lasts; for a kill, until the agent is started again. */
  readonly forMs: Millis
  /** Skew, slowness. */
  readonly byMs: Millis
  /** A kill: somebody sees it and closes that incarnation at once. Otherwise its leases run out. */
  readonly isSeen: boolean
}

export const FAULT_PRESETS = ['none', 'light', 'heavy'] as const
export type FaultPreset = (typeof FAULT_PRESETS)[number]

/** Shorter than a real one: a crawl of a minute meets what takes a real one an hour. */
export const LEASE_MS = 10_000
/** An incarnation is closed after so long without a word. */
export const SILENCE_MS = 2 * LEASE_MS
const OTHERS: readonly FaultKind[] = [
  'kill',
  'kill-after-store',
  'kill-after-store',
  'zombie',
  'pause',
  'join',
  'partition',
  'clock-jump',
  'slow-disk',
  'full-disk',
  'slow-agent',
  'ledger-outage',
  'slow-ledger',
  'lost-answers',
  'lost-answers',
]

/** A kill and a zombie are always among them. */
export function drawFaults(preset: FaultPreset, agents: number, random: Random): Fault[] {
  if (preset === 'none') return []
  const count = preset === 'light' ? 5 : 8 + Math.ceil(agents / 5)
  const kinds: FaultKind[] = ['kill-after-store', 'zombie', 'lost-answers']
  while (kinds.length < count) kinds.push(OTHERS[Math.floor(random.next() * OTHERS.length)])
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
      // Some come back while their life is still open, some when it is not.
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
