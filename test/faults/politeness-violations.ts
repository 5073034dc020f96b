/** What the server's log of starts and ends says of a crawl's manners (P5). */
import {
  type Authority,
  latencyOf,
  type ServedRequest,
  type WebKnobs,
  type WebPlan,
} from '../../src/simulate/web/index.js'

export interface PolitenessFacts {
  /** Between the end of an answer and the next request. */
  readonly delayMs: number
  readonly plan: WebPlan
  readonly knobs: WebKnobs
  readonly authority: Authority
}

/** What two looks at a clock may differ by. */
const GRAIN_MS = 2

/**
 * Two agents on a site at once, or two requests within the delay; the attempts of a robots procedure count as
 * one.
 */
export function impolite(log: readonly ServedRequest[], politeness: PolitenessFacts): string[] {
  const sites = new Map(Array.from({ length: politeness.plan.sites }, (_, i) => [politeness.authority(i), i]))
  const last = new Map<string, ServedRequest>()
  const longest = new Map<string, ServedRequest>()
  const problems: string[] = []
  for (const request of [...log].sort((a, b) => a.startMs - b.startMs)) {
    const { site, startMs, endMs, from } = request
    const before = last.get(site)
    const open = longest.get(site)
    last.set(site, request)
    if (!open || endMs > open.endMs) longest.set(site, request)
    if (!before || !open) continue
    if (from !== open.from && startMs < open.endMs) problems.push(`at once: ${describe(request, open)}`)
    if (startMs - before.startMs < leastGap(before, request, sites.get(site)!, politeness))
      problems.push(`too soon: ${describe(request, before)}`)
  }
  return problems
}

/**
 * From start to start. An answer leaves the server a latency after its start was logged, and the delay begins
 * when it has come: whatever holds up this machine makes the gap longer, never shorter.
 */
function leastGap(
  before: ServedRequest,
  next: ServedRequest,
  site: number,
  politeness: PolitenessFacts,
): number {
  if (before.target === '/robots.txt' && next.target === '/robots.txt') return 0
  const { plan, knobs, delayMs } = politeness
  const answeredMs = before.status === 0 ? 0 : latencyOf(plan, knobs, site, before.target)
  return answeredMs + delayMs - GRAIN_MS
}

function describe(request: ServedRequest, before: ServedRequest): string {
  const gap = Math.round(request.startMs - before.startMs)
  return `${request.site}: ${request.target} from ${request.from} ${gap} ms after ${before.target} from ${before.from}`
}
