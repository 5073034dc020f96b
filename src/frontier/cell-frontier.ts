/** One cell's side of the frontier: which of its URLs are known, and which wait to be fetched. */
import type { Discovery } from '../model/cell.js'
import type { Millis } from '../model/clock.js'
import { fingerprint, takeFingerprint } from '../model/fingerprint.js'
import { CellQueue, type QueueEntry } from './cell-queue.js'
import { DepthBook } from './depth-book.js'
import type { FrontierSpace } from './frontier-space.js'
import type { Restored } from './rebuild-cell.js'
import { SeenSet } from './seen-set.js'

/** A URL on its way to a lane. */
export interface FrontierEntry extends QueueEntry {
  /** The page was fetched before its depth fell (`--max-depth`): only its links are wanted. */
  readonly again?: boolean
}

export interface CellFrontierOptions {
  /** Infinity when depth is only informative. */
  readonly maxDepth: number
}

export class CellFrontier {
  readonly #seen: SeenSet
  readonly #queue: CellQueue
  /** Only with `--max-depth`: a URL that comes back nearer to a seed has to be looked at again. */
  readonly #depths: DepthBook | null

  constructor(space: FrontierSpace, options: CellFrontierOptions) {
    this.#seen = new SeenSet(space.seen)
    this.#queue = new CellQueue(space.queues)
    this.#depths = Number.isFinite(options.maxDepth) ? new DepthBook(options.maxDepth) : null
  }

  get size(): number {
    return this.#queue.size
  }

  get isEmpty(): boolean {
    return this.#queue.size === 0
  }

  /** True when offering this URL at this depth would change nothing. */
  knows(url: string, depth: number): boolean {
    if (this.#depths) return this.#depths.knows(url, depth)
    takeFingerprint(url)
    return this.#seen.has(fingerprint.low, fingerprint.high)
  }

  /** True when the URL joined the queue. */
  offer(discovery: Discovery): boolean {
    takeFingerprint(discovery.url)
    const isNew = this.#seen.add(fingerprint.low, fingerprint.high)
    if (isNew) this.#depths?.add(discovery.url, discovery.depth)
    else if (!this.#depths?.falls(discovery.url, discovery.depth)) return false
    this.#queue.push(discovery)
    return true
  }

  next(now: Millis): FrontierEntry | null {
    const entry = this.#queue.next(now)
    if (entry === null || this.#depths === null) return entry
    return { ...entry, ...this.#depths.take(entry.url) }
  }

  retry(entry: QueueEntry, notBefore: Millis): void {
    this.#depths?.putBack(entry.url)
    this.#queue.pushRetry(entry, entry.attempt + 1, notBefore)
  }

  hasReady(now: Millis): boolean {
    return this.#queue.hasReady(now)
  }

  /** When the earliest retry is due; null when none waits. */
  nextReadyAt(): Millis | null {
    return this.#queue.firstRetryAt
  }

  /** Depth matters: a known URL may be opened again. */
  get tracksDepth(): boolean {
    return this.#depths !== null
  }

  /** Puts back what the journal says, without judging it again; `how` is null when the URL is settled. */
  restore(discovery: Discovery, how: Restored | null): void {
    takeFingerprint(discovery.url)
    const isNew = this.#seen.add(fingerprint.low, fingerprint.high)
    this.#depths?.restore(discovery.url, discovery.depth, how)
    if (how === null || !isNew) return
    if (how.notBefore > 0) this.#queue.pushRetry(discovery, how.attempt, how.notBefore)
    else this.#queue.push(discovery)
  }

  close(): void {
    this.#seen.close()
    this.#queue.close()
  }
}
