/** What an agent does with one site in hand, joined from its parts. */
import type { AgentParts } from './agent-parts.js'
import { SiteWork, type Slices } from './cells/index.js'
import { BucketDispatcher } from './site/index.js'

/**
 * Name by name: of objects made with `...parts` each has a shape of its own, which the simulator's thousand
 * agents pay for.
 */
export function siteWorkOf(parts: AgentParts, slices: Slices, inHand: () => number): SiteWork {
  const { clock, ledger, lane, transmitter, admission, counters, splitter, siteOpener, laneCount } = parts
  const { maxWaitMs } = parts
  const { signal } = parts.stopping
  const sizes = parts.shards?.gates.plan.bucket
  const lendsLane = () => slices.lendsLane()
  const bucket = sizes === undefined ? null : new BucketDispatcher({ clock, sizes, lendsLane, signal })
  return new SiteWork(
    {
      clock,
      ledger,
      lane,
      transmitter,
      admission,
      counters,
      splitter,
      siteOpener,
      laneCount,
      maxWaitMs,
      bucket,
      signal,
    },
    site => slices.ends(site),
    () => laneCount.busy > 0 && inHand() <= parts.lanes,
  )
}
