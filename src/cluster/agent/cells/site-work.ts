/** The incarnation of one leased cell in this agent: read its inbox, crawl it, finish it or release it. */
import type { Ledger } from '../../../ledger/index.js'
import { type Clock, type Millis, type StopSignal, sleep } from '../../../model/index.js'
import type { Admission, Lane } from '../lane/index.js'
import type { Transmitter } from '../pack/index.js'
import type { BucketDispatcher, Counters, LaneCount, SiteCrawl } from '../site/index.js'
import { InboxReader } from './inbox.js'
import type { SiteOpener } from './site-opener.js'
import type { SiteSplitter } from './site-splitter.js'

/** A cell with nothing to do looks at its row this often, should nobody have told it of news. */
const IDLE_LOOK_MS = 10_000
/** A hop that needs the turn of a cell which is to be given back is waited for. */
const VISIT_LOOK_MS = 50
/**
 * A site that is done stays in hand this long while others are crawled: the links they still have for it find
 * its queue in memory. Given back at once, it would be rebuilt from its journal for every pack that holds
 * one.
 */
const LINGER_MS = 2_000
/**
 * Refused without a row to read, a finish is asked for again after this: the lease may be gone, or a row on
 * its way.
 */
const REFUSED_LOOK_MS = 250

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
  /** Under `phases`: whose URLs are asked for. */
  readonly bucket: BucketDispatcher | null
  /** A site with nothing to do for longer than this is parked. */
  readonly maxWaitMs: Millis
  /** Lanes send nothing more once it aborts. */
  readonly signal: StopSignal
}

export class SiteWork {
  readonly #parts: SiteWorkParts
  readonly #inboxes: InboxReader
  /** Asked after every visit: true when the site has to be left. */
  readonly #endsSlice: (site: SiteCrawl) => boolean
  /** True while there is room for sites that are done, and reason to expect more for them. */
  readonly #mayLinger: () => boolean

  constructor(parts: SiteWorkParts, endsSlice: (site: SiteCrawl) => boolean, mayLinger: () => boolean) {
    this.#parts = parts
    this.#inboxes = new InboxReader(parts.ledger, parts.transmitter, parts.admission, parts.signal)
    this.#endsSlice = endsSlice
    this.#mayLinger = mayLinger
  }

  /** Ends when the cell is ours no longer: finished, given back, or lost. */
  async run(site: SiteCrawl): Promise<void> {
    const { clock, signal } = this.#parts
    let idleMs = 0
    while (site.mode.is !== 'leaving' && !signal.aborted) {
      if (site.inboxDirty) await this.#inboxes.read(site)
      if (site.sitemapsDue || site.frontier.hasReady(clock.now())) await this.#crawl(site)
      if (this.#endsSlice(site) || site.inboxDirty || site.frontier.hasReady(clock.now())) continue
      if (this.#parks(site)) continue
      site.setIdle(true)
      if (await this.#finishes(site, idleMs)) break
      const since = clock.monotonic()
      await site.wake.wait(this.#idleMs(site))
      idleMs = clock.monotonic() - since
      // Woken to finish or to leave, it needs no lane.
      site.setIdle(!site.inboxDirty && !site.frontier.hasReady(clock.now()))
    }
    await this.#letGo(site)
  }

  #crawl(site: SiteCrawl): Promise<void> {
    const { lane, bucket } = this.#parts
    return bucket === null ? lane.crawl(site) : bucket.dispatch(site, each => lane.crawl(each))
  }

  /** True when the cell is finished: nothing queued, everything committed, no unread row. */
  async #finishes(site: SiteCrawl, idleMs: Millis): Promise<boolean> {
    const { ledger, transmitter, counters, laneCount, siteOpener } = this.#parts
    if (!site.frontier.isEmpty) return false
    if (site.uncommitted > 0) {
      if (laneCount.busy === 0) void transmitter.seal()
      return false
    }
    if (idleMs < LINGER_MS && this.#mayLinger()) return false
    if (!siteOpener.mayLeave(site)) return false
    if (await ledger.finish(site.cell, site.lease.epoch)) return true
    siteOpener.stays(site)
    counters.refusedFinishes++
    const { cursor } = site
    site.inboxGrew()
    await this.#inboxes.read(site)
    // Asked again at once, thousands of sites whose leases an outage has ended would ask without a pause.
    if (site.cursor === cursor) await site.wake.wait(REFUSED_LOOK_MS)
    site.wake.notify()
    return false
  }

  /** Releases the cell in the way its mode says; its last pages are committed first. */
  async #letGo(site: SiteCrawl): Promise<void> {
    const { ledger, transmitter, signal, siteOpener, clock } = this.#parts
    const { mode } = site
    if (mode.is === 'leaving' && mode.to !== 'lost') {
      if (site.uncommitted > 0) await transmitter.seal()
      while (!site.lost && !siteOpener.mayLeave(site)) await sleep(clock, VISIT_LOOK_MS)
      // Lost meanwhile, it is not ours to split.
      if (mode.to === 'split') return site.lost ? undefined : this.#parts.splitter.split(site)
      if (mode.to === 'park') await ledger.park(site.cell, site.lease.epoch, mode.until, mode.why)
      else if (mode.to === 'rest') await ledger.rest(site.cell, site.lease.epoch, mode.until)
      else await ledger.release(site.cell, site.lease.epoch, mode.to === 'slice' ? 'tail' : 'head')
    }
    if (mode.is !== 'leaving' && signal.aborted && site.uncommitted > 0) await transmitter.seal()
    if (site.released !== null) await site.released
  }

  /** All that is left has to wait longer than the crawl will. */
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
    return site.uncommitted > 0 ? IDLE_LOOK_MS : LINGER_MS
  }
}
