/** The options of the generated web that concern time: latency, first failures, and changing pages. */
import type { Millis } from '../../model/index.js'
import { hashOf, hashText, Purpose, unit } from './hash.js'
import type { WebPlan } from './web-plan.js'

export interface WebKnobs {
  /** Mean time to answer. */
  readonly latencyMs?: Millis
  /** Each site multiplies the mean by its own factor between 1 - spread and 1 + spread (0.5). */
  readonly latencySpread?: number
  /** 0: all answers of a site take the same time; 1: between zero and twice that. */
  readonly latencyJitter?: number
  /** Sites with their own time to answer. */
  readonly slowSites?: ReadonlyMap<number, Millis>
  /** The share of URLs whose first request is answered with 503. */
  readonly failRate?: number
  /** The share of URLs whose first request ends in a connection reset. */
  readonly dropRate?: number
  /** The share of pages that change, each once per `changePeriodMs`. */
  readonly changeRate?: number
  readonly changePeriodMs?: Millis
}

export type Mishap = 'none' | 'fail' | 'drop'

// Pages that never change were last modified in the four years before 2024.
const OLD_MS = Date.UTC(2024, 0, 1)
const OLD_SECONDS = 4 * 365 * 86_400

export function latencyOf(plan: WebPlan, knobs: WebKnobs, site: number, target: string): Millis {
  const slow = knobs.slowSites?.get(site)
  const spread = knobs.latencySpread ?? 0.5
  const factor = 1 - spread + 2 * spread * unit(hashOf(plan.seed, Purpose.latency, site, 0))
  const mean = slow ?? (knobs.latencyMs ?? 0) * factor
  if (mean === 0 || !knobs.latencyJitter) return mean
  return mean * (1 + knobs.latencyJitter * (2 * unit(hashText(plan.seed ^ site, Purpose.jitter, target)) - 1))
}

/** The failure of the first request of a URL; later requests are answered. */
export function mishapOf(plan: WebPlan, knobs: WebKnobs, site: number, target: string): Mishap {
  const drop = knobs.dropRate ?? 0
  const fail = knobs.failRate ?? 0
  if (drop + fail === 0) return 'none'
  const at = unit(hashText(plan.seed ^ Math.imul(site, 0x9e3779b1), Purpose.mishap, target))
  if (at < drop) return 'drop'
  return at < drop + fail ? 'fail' : 'none'
}

export interface Revision {
  /** Rises by one with each change; 0 for pages that never change. */
  readonly version: number
  readonly modifiedMs: Millis
}

export function revisionOf(
  plan: WebPlan,
  knobs: WebKnobs,
  site: number,
  page: number,
  nowMs: Millis,
): Revision {
  const period = knobs.changePeriodMs ?? 0
  const hash = hashOf(plan.seed, Purpose.change, site, page)
  if (period > 0 && unit(hash) < (knobs.changeRate ?? 0)) {
    // Pages change at different moments, each by its own phase.
    const phase = hashOf(plan.seed, Purpose.change, page, site) % period
    const version = Math.floor((nowMs + phase) / period)
    return { version, modifiedMs: version * period - phase }
  }
  return { version: 0, modifiedMs: OLD_MS - (hash % OLD_SECONDS) * 1_000 }
}
