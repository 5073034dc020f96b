/**
 * The knobs of the generated web: how slow it answers, what fails at first, and which pages change with time.
 */
import type { Millis } from '../../model/index.js'
import { hashOf, hashText, Purpose, unit } from './hash.js'
import type { WebPlan } from './web-plan.js'

export interface WebKnobs {
  /** Mean time to answer; each site has its own factor between 0.5 and 1.5, */
  readonly latencyMs?: Millis
  /** or between 1 less this and 1 more this. */
  readonly latencySpread?: number
  /** 0: every answer of a site takes the same time; 1: between nothing and twice that. */
  readonly latencyJitter?: number
  /** Sites that answer in a time of their own. */
  readonly slowSites?: ReadonlyMap<number, Millis>
  /** Share of URLs whose first request is answered with 503. */
  readonly failRate?: number
  /** Share of URLs whose first request ends in a connection reset. */
  readonly dropRate?: number
  /** Share of pages that change, once per `changePeriodMs` each. */
  readonly changeRate?: number
  readonly changePeriodMs?: Millis
}

export type Mishap = 'none' | 'fail' | 'drop'

// Pages that never change were last modified somewhere in the four years before 2024.
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

/** What happens to the first request of a URL; later ones are answered. */
export function mishapOf(plan: WebPlan, knobs: WebKnobs, site: number, target: string): Mishap {
  const drop = knobs.dropRate ?? 0
  const fail = knobs.failRate ?? 0
  if (drop + fail === 0) return 'none'
  const at = unit(hashText(plan.seed ^ Math.imul(site, 0x9e3779b1), Purpose.mishap, target))
  if (at < drop) return 'drop'
  return at < drop + fail ? 'fail' : 'none'
}

export interface Revision {
  /** Rises by one with every change; 0 for pages that never do. */
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
