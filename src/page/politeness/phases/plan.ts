/**
 * The parameters of a crawl in phases (K2-K4), stored in the ledger at its start: the number of shards of
 * URLs and of phases of hosts, and when all nodes swap.
 */

import { BUCKET_SIZES, type BucketSizes, type PhaseSettings } from '../../../config/index.js'
import type { Millis } from '../../../model/index.js'
import {
  PLAN_DRAIN_MOST_MS,
  PLAN_GUARD_MS,
  PLAN_LEAST_PERIOD_MS,
  PLAN_PERIOD_MS,
  PLAN_ROUND_MS,
} from '../../limits.js'

export interface PhasePlan {
  /** Nnode: shards, each leased to one agent at a time; an agent may have several. */
  readonly nodes: number
  /** Nphase, at least as many: otherwise two nodes would be in one phase. */
  readonly phases: number
  /** Between two swaps. */
  readonly periodMs: Millis
  /** No requests in this time before and after each swap: clocks may be wrong by as much without knowing. */
  readonly guardMs: Millis
  /** No new requests in this time before the guard, so that those in flight can finish. */
  readonly drainMs: Millis
  /** The bucket sizes of the scheduler (K6, K7). */
  readonly bucket: BucketSizes
  /** Ledger time of the first swap: node n is in phase n from then on. */
  readonly startMs: Millis
}

/** As part of a period; pages seldom take longer. */
const DRAIN_SHARE = 1 / 10
/** The least part of a period for requests. */
const WORK_SHARE = 1 / 2
/** A window needs room for several requests to the same host. */
const DELAYS_A_PERIOD = 8

/** A plan for `agents` agents with delay `delayMs`, or an error message. */
export function makePlan(
  settings: PhaseSettings,
  agents: number,
  delayMs: Millis,
  startMs: Millis,
): PhasePlan | string {
  const nodes = settings.nodes ?? agents
  const phases = settings.phases ?? nodes
  const periodMs = settings.periodMs ?? Math.max(shortestMs(phases), DELAYS_A_PERIOD * delayMs)
  const guardMs = settings.guardMs ?? Math.min(PLAN_GUARD_MS, periodMs / 10)
  const drainMs = Math.min(periodMs * DRAIN_SHARE, PLAN_DRAIN_MOST_MS)
  if (phases < nodes)
    return `${phases} phases are too few for ${nodes} nodes: two nodes would request the same hosts`
  if (periodMs - 2 * guardMs - drainMs < periodMs * WORK_SHARE)
    return `a guard of ${guardMs} ms leaves too little of a period of ${periodMs} ms`
  return { nodes, phases, periodMs, guardMs, drainMs, startMs, bucket: settings.bucket ?? BUCKET_SIZES }
}

function shortestMs(phases: number): Millis {
  return Math.min(PLAN_PERIOD_MS, Math.max(PLAN_LEAST_PERIOD_MS, PLAN_ROUND_MS / phases))
}

/** The setting that holds the plan. It never changes, so heartbeats do not carry it. */
export const PLAN_SETTING = 'crawl.phases'

export function readPlan(settings: Readonly<Record<string, string>>): PhasePlan | null {
  const text = settings[PLAN_SETTING]
  return text === undefined || text === '' ? null : (JSON.parse(text) as PhasePlan)
}
