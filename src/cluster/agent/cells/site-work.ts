/** Everything that is done with one leased cell: read its inbox, crawl it, finish it or release it. */

import type { Ledger } from '../../../ledger/index.js'
import { type Clock, type Millis, type StopSignal, sleep } from '../../../model/index.js'
import { BORROW_LOOK_MS, IDLE_LOOK_MS, LINGER_MS, REFUSED_LOOK_MS } from '../../limits.js'
import type { Admission, Envoys, Lane } from '../lane/index.js'
import type { Transmitter } from '../pack/index.js'
import type { BucketDispatcher, Counters, LaneCount, SiteCrawl } from '../site/index.js'
import { InboxReader } from './inbox.js'
import type { SiteOpener } from './site-opener.js'
import type { SiteSplitter } from './site-splitter.js'
import type { Slices } from './slices.js'

export interface SiteWorkParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly lane: Lane
  readonly transmitter: Transmitter
  readonly admission: Admission
  readonly counters: Counters
  readonly splitter: SiteSplitter
  readonly siteOpener: SiteOpener
  readonly laneCount: LaneCount
  /** Tours of hosts; null if no site has one. */
  readonly envoys: Envoys | null
  readonly slices: Slices
  /** Under `phases`: decides which sites are crawled. */
  readonly bucket: BucketDispatcher | null
  /** A site with nothing to do for longer than this is parked. */
  readonly maxWaitMs: Millis
  /** True while there is room for finished sites, and other sites may have links for them. */
  readonly mayLinger: () => boolean
  /** Aborts when the agent stops. */
  readonly signal: StopSignal
}

export class SiteWork {
  readonly #parts: SiteWorkParts
  readonly #inboxes: InboxReader

  constructor(parts: SiteWorkParts) {
    this.#parts = parts
    this.#inboxes = new InboxReader(parts.ledger, parts.transmitter, parts.admission, parts.signal)
  }

  /** Resolves when the cell is finished, released or lost. */
  async run(site: SiteCrawl): Promise<void> {
    const { clock, signal, slices } = this.#parts
    let idleMs = 0
    while (site.mode.is !== 'leaving' && !signal.aborted) {
      if (site.inbox.isDirty) await this.#inboxes.read(site)
      if (site.sitemapsDue || site.frontier.hasReady(clock.now())) await this.#crawl(site)
      if (slices.ends(site) || site.inbox.isDirty || site.frontier.hasReady(clock.now())) continue
      if (this.#parks(site)) continue
      site.lane.setIdle(true)
      if (await this.#finishes(site, idleMs)) break
      const since = clock.monotonic()
      await site.wake.wait(this.#idleMs(site))
      idleMs = clock.monotonic() - since
      // To finish or to leave, the site needs no lane.
      site.lane.setIdle(!site.inbox.isDirty && !site.frontier.hasReady(clock.now()))
    }
    await this.#release(site)
  }

  #crawl(site: SiteCrawl): Promise<void> {
    const { lane, bucket } = this.#parts
    return bucket === null ? lane.crawl(site) : bucket.dispatch(site, each => lane.crawl(each))
  }

  /** True if the cell is finished: nothing is queued, everything is committed, no row is unread. */
  async #finishes(site: SiteCrawl, idleMs: Millis): Promise<boolean> {
    const { ledger, transmitter, counters, laneCount, siteOpener, mayLinger } = this.#parts
    if (!site.frontier.isEmpty) return false
    if (site.packs.uncommitted > 0) {
      if (laneCount.busy === 0) void transmitter.seal()
      return false
    }
    if (idleMs < LINGER_MS && mayLinger()) return false
    if (!siteOpener.mayLeave(site)) return false
    await this.#parts.envoys?.end(site)
    if (await ledger.finish(site.cell, site.lease.epoch)) return true
    siteOpener.stays(site)
    counters.refusedFinishes++
    const { cursor } = site.inbox
    site.inbox.grew()
    await this.#inboxes.read(site)
    // Without this pause, thousands of sites whose leases ended in an outage would ask all the time.
    if (site.inbox.cursor === cursor) await site.wake.wait(REFUSED_LOOK_MS)
    site.wake.notify()
    return false
  }

  /** Releases the cell as its mode says, after its last pages are committed. */
  async #release(site: SiteCrawl): Promise<void> {
    const { ledger, transmitter, signal, siteOpener, clock } = this.#parts
    const { mode } = site
    // Whoever gets the cell next may send requests at once.
    await this.#parts.envoys?.end(site)
    if (mode.is === 'leaving' && mode.to !== 'lost') {
      if (site.packs.uncommitted > 0) await transmitter.seal()
      while (!site.lost && !siteOpener.mayLeave(site)) await sleep(clock, BORROW_LOOK_MS)
      // If the lease was lost meanwhile, the cell must not be split.
      if (mode.to === 'split') return site.lost ? undefined : this.#parts.splitter.split(site)
      if (mode.to === 'park') await ledger.park(site.cell, site.lease.epoch, mode.until, mode.why)
      else if (mode.to === 'rest') await ledger.rest(site.cell, site.lease.epoch, mode.until)
      else await ledger.release(site.cell, site.lease.epoch, mode.to === 'slice' ? 'tail' : 'head')
    }
    if (mode.is !== 'leaving' && signal.aborted && site.packs.uncommitted > 0) await transmitter.seal()
    if (site.released !== null) await site.released
  }

  /** Parks the site if all its URLs have to wait longer than `--max-wait`. */
  #parks(site: SiteCrawl): boolean {
    const { clock, maxWaitMs } = this.#parts
    const ready = site.frontier.nextReadyAt()
    if (ready === null || ready - clock.now() <= maxWaitMs) return false
    const isAsked = site.pace.waitUntil >= clock.now()
    site.leave('park', ready, isAsked ? site.pace.waitReason : 'all remaining URLs have to wait')
    return true
  }

  #idleMs(site: SiteCrawl): Millis {
    const ready = site.frontier.nextReadyAt()
    if (ready !== null) return Math.max(1, ready - this.#parts.clock.now())
    return site.packs.uncommitted > 0 ? IDLE_LOOK_MS : LINGER_MS
  }
}
