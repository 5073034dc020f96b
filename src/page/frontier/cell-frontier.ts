/** The frontier of one cell: which of its URLs are known, and which wait to be fetched. */

import { fingerprint, takeFingerprint } from '../../model/bytes/index.js'
import type { Discovery, Millis } from '../../model/index.js'
import type { FrontierSpace } from './frontier-space.js'
import { CellQueue, type QueueEntry, RankedWindow } from './queue/index.js'
import { DepthSet, SeenSet } from './seen/index.js'

export type FrontierEntry = QueueEntry

export interface CellFrontierOptions {
  /** Infinity if depth is only informative. */
  readonly maxDepth: number
  /** Default: `breadth` (first). */
  readonly order?: 'breadth' | 'inlinks'
}

/**
 * Without `--max-depth` a URL is queued once. With it, a row is (URL, depth): a known URL found at a smaller
 * depth is queued again. If both rows are still queued, the deeper one is skipped. If the deeper one was
 * taken already, that visit and its retries store the page, and the other row only adds its links again.
 */
export class CellFrontier {
  readonly maxDepth: number
  readonly #seen: SeenSet
  #queue: CellQueue
  readonly #space: FrontierSpace
  readonly #depths: DepthSet | null
  readonly #ranks: boolean
  #passedOver = 0

  constructor(space: FrontierSpace, options: CellFrontierOptions) {
    this.maxDepth = options.maxDepth
    this.#space = space
    this.#seen = new SeenSet(space.seen)
    this.#ranks = options.order === 'inlinks'
    this.#queue = new CellQueue(space.queues, this.#ranks ? new RankedWindow(space.ranked) : null)
    this.#depths = Number.isFinite(options.maxDepth) ? new DepthSet(this.#seen, options.maxDepth) : null
  }

  get size(): number {
    return this.#queue.size
  }

  /** Approximate number of known URLs; with `--max-depth` some count more than once. */
  get known(): number {
    return this.#seen.size
  }

  get isEmpty(): boolean {
    return this.#queue.size === 0
  }

  /** True if offering this URL at this depth would change nothing. */
  knows(url: string, depth: number): boolean {
    takeFingerprint(url)
    return this.knowsFingerprint(fingerprint.low, fingerprint.high, depth)
  }

  knowsFingerprint(low: number, high: number, depth: number): boolean {
    return this.#depths === null ? this.#seen.has(low, high) : this.#depths.reached(low, high, depth)
  }

  /** Like `knows`, for a link on a page; counts the link if the queue ranks URLs by their links. */
  meets(url: string, depth: number): boolean {
    takeFingerprint(url)
    return this.meetsFingerprint(fingerprint.low, fingerprint.high, depth)
  }

  meetsFingerprint(low: number, high: number, depth: number): boolean {
    const isKnown = this.knowsFingerprint(low, high, depth)
    if (isKnown && this.#ranks) this.#queue.linked(low, high)
    return isKnown
  }

  /** True if the URL joined the queue, and so belongs in the journal of the open pack. */
  offer(discovery: Discovery): boolean {
    if (!this.#remember(discovery.url, discovery.depth)) return false
    this.#queue.push(discovery)
    return true
  }

  /** Marks a URL that a trap rule refused as known, without queuing it. */
  refuse(discovery: Discovery): void {
    this.#remember(discovery.url, discovery.depth)
    if (this.#depths === null) return
    takeFingerprint(discovery.url)
    this.#depths.refuse(fingerprint.low, fingerprint.high)
  }

  /** Marks a URL, of any cell, as known at every depth and never queued. True the first time. */
  turnAway(url: string): boolean {
    takeFingerprint(url)
    const { low, high } = fingerprint
    if (this.knowsFingerprint(low, high, 0)) return false
    this.restoreTurnedAway(low, high)
    return true
  }

  /** The earlier decision about a URL, where its depth matters, so that it is not judged again. */
  standingOf(url: string): 'new' | 'queued' | 'refused' {
    if (this.#depths === null) return 'new'
    takeFingerprint(url)
    const { low, high } = fingerprint
    if (this.#depths.isRefused(low, high)) return 'refused'
    return this.#depths.reached(low, high, this.maxDepth + 1) ? 'queued' : 'new'
  }

  /** `newFirst`: retries come only if nothing else waits. */
  next(now: Millis, newFirst = false): FrontierEntry | null {
    for (;;) {
      const entry = this.#queue.next(now, newFirst)
      // A retry continues its visit.
      if (entry === null || this.#depths === null || entry.attempt > 1 || entry.begun) return entry
      takeFingerprint(entry.url)
      const { low, high } = fingerprint
      if (this.#depths.reachedNearer(low, high, entry.depth)) {
        this.#passedOver++
        continue
      }
      if (this.#depths.isTooDeep(entry.depth) || this.#depths.visit(low, high)) return entry
      return { ...entry, again: true }
    }
  }

  /** Rows skipped since the last call, because the URL was queued with a smaller depth. */
  takePassedOver(): number {
    const count = this.#passedOver
    this.#passedOver = 0
    return count
  }

  /** Queues the next attempt, not before the given time. */
  retry(entry: FrontierEntry, notBefore: Millis): void {
    this.#queue.pushRetry({ ...entry, attempt: entry.attempt + 1 }, notBefore)
  }

  /** Queues a URL that was taken but not requested, unchanged, not before the given time. */
  setAside(entry: FrontierEntry, notBefore: Millis): void {
    this.#queue.pushRetry({ ...entry, begun: true }, notBefore)
  }

  /** Shows the URLs that wait for their first attempt, but those in the window of `--order inlinks`. */
  showNew(show: (discovery: Discovery) => void): void {
    this.#queue.showNew(show)
  }

  hasReady(now: Millis): boolean {
    return this.#queue.hasReady(now)
  }

  /** When the earliest retry is due; null if there is none. */
  nextReadyAt(): Millis | null {
    return this.#queue.firstRetryAt
  }

  /** A known URL that is not queued: from the journal, or refused by a trap rule. */
  restoreKnown(discovery: Discovery): void {
    this.#remember(discovery.url, discovery.depth)
  }

  /** From the journal: a known URL whose last attempt failed, so that its visit has begun. */
  restoreRetry(discovery: Discovery, attempt: number, notBefore: Millis): void {
    takeFingerprint(discovery.url)
    const isFirst = this.#depths === null || this.#depths.visit(fingerprint.low, fingerprint.high)
    this.#queue.pushRetry({ ...discovery, attempt, ...(isFirst ? {} : { again: true }) }, notBefore)
  }

  /** From the journal: a known URL whose stored copy was lost. Its next visit stores the page again. */
  restoreReopened(discovery: Discovery, attempt: number, notBefore: Millis): void {
    this.#queue.pushRetry({ ...discovery, attempt, begun: true }, notBefore)
  }

  /** From the journal: a requested page, so that no later row stores it again. */
  restoreVisit(low: number, high: number): void {
    this.#depths?.visit(low, high)
  }

  /** From the journal: a URL refused by a trap rule. */
  restoreRefusal(low: number, high: number): void {
    this.#depths?.refuse(low, high)
  }

  /** From the journal: a URL that was counted but never queued. */
  restoreTurnedAway(low: number, high: number): void {
    if (this.#depths === null) this.#seen.add(low, high)
    else this.#depths.add(low, high, 0)
  }

  /** All waiting URLs, including retries, of a cell that nobody works on. Forgets their attempts. */
  *queuedUrls(): Iterable<string> {
    const shown = new CellQueue(this.#space.queues)
    for (;;) {
      const entry = this.#queue.next(Number.POSITIVE_INFINITY)
      if (entry === null) break
      shown.push(entry)
      yield entry.url
    }
    this.#queue.close()
    this.#queue = shown
  }

  close(): void {
    this.#seen.close()
    this.#queue.close()
  }

  /** True if the URL is new, or found at a smaller depth than before. */
  #remember(url: string, depth: number): boolean {
    takeFingerprint(url)
    const { low, high } = fingerprint
    if (this.#depths === null) return this.#seen.add(low, high)
    if (this.#depths.reached(low, high, depth)) return false
    this.#depths.add(low, high, depth)
    return true
  }
}
