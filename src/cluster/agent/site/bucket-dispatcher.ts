/**
 * Under `phases`, decides which of the held sites are crawled (K6-K8). A site of the open phase gets an
 * element of the bucket, which it fills with a list of its URLs, and one connection crawls the list. Then the
 * site makes room for others of its column. A list is sent when it is full, or when the site has no more
 * URLs. If the column is full, the site waits.
 */

import type { BucketSizes } from '../../../config/index.js'
import type { Clock, Millis, StopSignal } from '../../../model/index.js'
import { Bucket, type BucketElement } from '../../../page/frontier/buckets/index.js'
import { type FrontierEntry, UrlStates } from '../../../page/frontier/index.js'
import { BUCKET_DISPATCHER_LOOK_MS } from '../../limits.js'
import type { SiteCrawl } from './site-crawl.js'

export interface BucketDispatcherParts {
  readonly clock: Clock
  readonly sizes: BucketSizes
  /** Called when a site waits long: true if it has to wait in the ledger, because many others wait here. */
  readonly lendsLane: () => boolean
  /** Aborts when the agent stops. */
  readonly signal: StopSignal
}

/** The URLs of a site that one connection crawls together. */
export class UrlList {
  readonly #states: UrlStates
  #next: number
  readonly #end: number
  readonly #numbers = new Map<FrontierEntry, number>()

  constructor(states: UrlStates, { first, count }: { readonly first: number; readonly count: number }) {
    this.#states = states
    this.#next = first
    this.#end = first + count
  }

  get isOver(): boolean {
    return this.#next >= this.#end
  }

  begin(entry: FrontierEntry): void {
    if (this.isOver) return
    this.#numbers.set(entry, this.#next)
    this.#states.begin(this.#next++)
  }

  end(entry: FrontierEntry, isStalled: boolean): void {
    const number = this.#numbers.get(entry)
    if (number === undefined) return
    this.#numbers.delete(entry)
    if (isStalled) this.#states.stall(number)
    else this.#states.complete(number)
  }

  /** The rest of the list stays in the queue of the site, for the next list. */
  close(): void {
    for (const number of this.#numbers.values()) this.#states.stall(number)
    this.#numbers.clear()
    while (!this.isOver) this.#states.stall(this.#next++)
  }
}

export class BucketDispatcher {
  readonly #parts: BucketDispatcherParts
  readonly #bucket: Bucket
  readonly #states: UrlStates

  constructor(parts: BucketDispatcherParts) {
    this.#parts = parts
    this.#bucket = new Bucket(parts.sizes)
    this.#states = new UrlStates(parts.sizes.window)
  }

  /** Crawls one list of URLs of the site; returns early if the site has to be left or has rows to read. */
  async dispatch(site: SiteCrawl, crawl: (site: SiteCrawl) => Promise<void>): Promise<void> {
    if (!(await this.#isOpen(site))) return
    const element = await this.#place(site)
    if (element === null) return
    const list = this.#listOf(site)
    if (list === null) {
      this.#bucket.free(element)
      await site.lane.farOff(site.wake.wait(BUCKET_DISPATCHER_LOOK_MS))
      return
    }
    this.#bucket.fetch(element)
    site.setList(list)
    try {
      await crawl(site)
    } finally {
      site.setList(null)
      list.close()
      this.#rest(element, site.pace.readyAt)
    }
  }

  /**
   * Null while the window of states has no room. A list may be needed for sitemaps, which are not queued yet.
   */
  #listOf(site: SiteCrawl): UrlList | null {
    const { list } = this.#parts.sizes
    const numbers = this.#states.list(Math.min(list, Math.max(1, site.frontier.size)))
    return numbers.count === 0 ? null : new UrlList(this.#states, numbers)
  }

  #rest(element: BucketElement, until: Millis): void {
    const { clock } = this.#parts
    this.#bucket.rest(element)
    const waitMs = until - clock.now()
    if (waitMs <= 0) this.#bucket.free(element)
    else clock.after(Math.min(Math.ceil(waitMs), BUCKET_DISPATCHER_LOOK_MS), () => this.#bucket.free(element))
  }

  /** True once the phase of the site is open, and the site may be crawled. */
  async #isOpen(site: SiteCrawl): Promise<boolean> {
    const { clock, lendsLane } = this.#parts
    const { gate } = site.pace
    if (gate === null || !gate.isShut) return this.#goesOn(site)
    if (lendsLane()) {
      site.leave('rest', site.pace.expectedAt(clock.now()))
      return false
    }
    await site.lane.farOff(site.wake.wait(Math.max(1, Math.ceil(gate.opensInMs()))))
    return !gate.isShut && this.#goesOn(site) && !site.inbox.isDirty
  }

  async #place(site: SiteCrawl): Promise<BucketElement | null> {
    const element = this.#bucket.place(site.site)
    if (element !== null) return element
    const leave = this.#bucket.overflow(site.site, () => site.wake.notify())
    await site.lane.farOff(site.wake.wait(BUCKET_DISPATCHER_LOOK_MS))
    leave()
    return null
  }

  #goesOn(site: SiteCrawl): boolean {
    return site.mode.is !== 'leaving' && !this.#parts.signal.aborted
  }
}
