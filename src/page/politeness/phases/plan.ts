/**
 * The numbers of a crawl in phases (K2-K4), fixed in the ledger when it begins: how many shards its URLs are
 * cut into, how many phases its hosts, and when all nodes swap.
 */

import { BUCKET_SIZES, type BucketSizes, type PhaseSettings } from '../../../config/index.js'
import type { Millis } from '../../../model/index.js'

export interface PhasePlan {
  /** Nnode: shards, each leased to one agent at a time; an agent may have several. */
  readonly nodes: number
  /** Nphase, at least as many: otherwise two nodes would be in one phase. */
  readonly phases: number
  /** Between two swaps. */
  readonly periodMs: Millis
  /** Before and after each swap nobody asks anything: clocks may be wrong by as much without knowing it. */
  readonly guardMs: Millis
  /** Before the guard nothing new is begun: what is under way can end by itself. */
  readonly drainMs: Millis
  /** Of the scheduler (K6, K7). */
  readonly bucket: BucketSizes
  /** Ledger time of the first swap: node n is in phase n from then on. */
  readonly startMs: Millis
}

const PERIOD_MS = 10_000
/**
 * A page waits for its node until all phases have passed: with many of them each is shorter, within reason.
 */
const ROUND_MS = 40_000
const LEAST_PERIOD_MS = 5_000
const GUARD_MS = 250
/** Of a period; a page takes no longer, as a rule. */
const DRAIN_SHARE = 1 / 10
const DRAIN_MOST_MS = 1_000
/** Of a period that are left for work, at least. */
const WORK_SHARE = 1 / 2
/** A host that is asked every so often needs some of that in one piece. */
const DELAYS_A_PERIOD = 8

/** A plan for `agents` agents whose sites are asked every `delayMs`; or what is wrong with it. */
export function makePlan(
  settings: PhaseSettings,
  agents: number,
  delayMs: Millis,
  startMs: Millis,
): PhasePlan | string {
  const nodes = settings.nodes ?? agents
  const phases = settings.phases ?? nodes
  const periodMs = settings.periodMs ?? Math.max(shortestMs(phases), DELAYS_A_PERIOD * delayMs)
  const guardMs = settings.guardMs ?? Math.min(GUARD_MS, periodMs / 10)
  const drainMs = Math.min(periodMs * DRAIN_SHARE, DRAIN_MOST_MS)
  if (phases < nodes)
    return `${phases} phases are too few for ${nodes} nodes: two nodes would request the same hosts`
  if (periodMs - 2 * guardMs - drainMs < periodMs * WORK_SHARE)
    return `a guard of ${guardMs} ms leaves too little of a period of ${periodMs} ms`
  return { nodes, phases, periodMs, guardMs, drainMs, startMs, bucket: settings.bucket ?? BUCKET_SIZES }
}

function shortestMs(phases: number): Millis {
  return Math.min(PERIOD_MS, Math.max(LEAST_PERIOD_MS, ROUND_MS / phases))
}

/** The name under which the ledger keeps the plan; it never changes, so no heartbeat brings it. */
export const PLAN_SETTING = 'crawl.phases'

export function readPlan(settings: Readonly<Record<string, string>>): PhasePlan | null {
  const text = settings[PLAN_SETTING]
  return text === undefined || text === '' ? null : (JSON.parse(text) as PhasePlan)
}
