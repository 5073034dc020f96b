/**
 * Finds in a server's log requests of two nodes to one host at the same time. Nodes differ in their
 * addresses.
 */
import { groupBy } from '../../src/model/index.js'
import type { ServedRequest } from '../../src/simulate/web/index.js'

export interface Exclusion {
  readonly requests: number
  readonly hosts: number
  /** The number of times that the requests of a host came from another node than before. */
  readonly handOvers: number
  /** Requests that began while one of another node to the same host was in flight. */
  readonly together: number
  /** The shortest time between requests of two nodes to one host; null if no host had two nodes. */
  readonly leastGapMs: number | null
}

type Seen = Pick<ServedRequest, 'startMs' | 'endMs' | 'from' | 'site'>

export function exclusionIn(log: readonly Seen[]): Exclusion {
  const hosts = groupBy(log, ({ site }) => site)
  let handOvers = 0
  let together = 0
  let leastGapMs = Number.POSITIVE_INFINITY
  for (const requests of hosts.values()) {
    requests.sort((a, b) => a.startMs - b.startMs)
    /** When the last request of each node ends. */
    const ends = new Map<string, number>()
    let last: Seen | null = null
    for (const request of requests) {
      if (last !== null && last.from !== request.from) handOvers++
      for (const [from, endMs] of ends) {
        if (from === request.from) continue
        const gapMs = request.startMs - endMs
        if (gapMs < 0) together++
        leastGapMs = Math.min(leastGapMs, gapMs)
      }
      ends.set(request.from, Math.max(ends.get(request.from) ?? 0, request.endMs))
      last = request
    }
  }
  return {
    requests: log.length,
    hosts: hosts.size,
    handOvers,
    together,
    leastGapMs: Number.isFinite(leastGapMs) ? leastGapMs : null,
  }
}
