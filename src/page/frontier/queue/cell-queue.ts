/**
 * The queue of one cell. The next URL is a retry that is due (with `newFirst`, only if nothing else waits),
 * else the one with the highest score, and among equals the first. Scores fall into 32 classes, each first in
 * first out, so nothing is searched or sorted; without scores the order is breadth first. With a window, its
 * most linked URL comes first, and the window is filled from the classes.
 */
import { type Discovery, Heap, type Millis } from '../../../model/index.js'
import { EntryQueue } from './entry-queue.js'
import type { QueueSpace } from './queue-space.js'
import type { RankedWindow } from './ranked-window.js'

const CLASSES = 32

export interface QueueEntry extends Discovery {
  /** 1 for the first attempt. */
  readonly attempt: number
  /** The page was requested at a larger depth (`--max-depth`), so only its links are wanted. */
  readonly again?: boolean
  /** It was taken from the queue before, and set aside. */
  readonly begun?: boolean
  /** For a retry: the number of pages the site had delivered under this lease when it failed. */
  readonly failedAfter?: number
}

export class CellQueue {
  readonly #space: QueueSpace
  readonly #classes: (EntryQueue | undefined)[] = []
  /** A bit for each class that is not empty. */
  #filled = 0
  #queued = 0
  #retries: RetryHeap | null = null

  readonly #window: RankedWindow | null

  constructor(space: QueueSpace, window: RankedWindow | null = null) {
    this.#space = space
    this.#window = window
  }

  /** Number of waiting URLs, including retries. */
  get size(): number {
    return this.#queued + (this.#retries?.size ?? 0)
  }

  push(discovery: Discovery): void {
    this.#queued++
    if (this.#window?.hasRoom && this.#filled === 0) this.#window.push(discovery)
    else this.#append(discovery)
  }

  #append(discovery: Discovery): void {
    const at = classOf(discovery.score)
    let queue = this.#classes[at]
    if (queue === undefined) {
      queue = new EntryQueue(this.#space)
      while (this.#classes.length <= at) this.#classes.push(undefined)
      this.#classes[at] = queue
    }
    queue.push(discovery)
    this.#filled |= 1 << at
  }

  /** A link to a known URL was found. */
  linked(low: number, high: number): void {
    this.#window?.linked(low, high)
  }

  /** `entry.attempt` is the number of the next attempt, which is not made before `notBefore`. */
  pushRetry(entry: QueueEntry, notBefore: Millis): void {
    this.#retries ??= new RetryHeap()
    this.#retries.push(entry, notBefore)
  }

  /** `newFirst`: retries come only if nothing else waits. */
  next(now: Millis, newFirst = false): QueueEntry | null {
    const retry = newFirst && this.#queued > 0 ? null : (this.#retries?.next(now) ?? null)
    if (retry !== null || this.#queued === 0) return retry
    this.#queued--
    if (this.#window === null) return this.#shift()
    // The window fills up from the classes faster than it drains.
    for (let i = 0; i < 2 && this.#filled !== 0 && this.#window.hasRoom; i++) this.#window.push(this.#shift())
    const ranked = this.#window.shift()
    return ranked === null ? this.#shift() : { ...ranked, attempt: 1 }
  }

  #shift(): QueueEntry {
    const at = 31 - Math.clz32(this.#filled)
    const queue = this.#classes[at]!
    const entry = queue.shift()
    if (queue.isEmpty) this.#filled &= ~(1 << at)
    return entry
  }

  /** Shows the URLs that wait for their first attempt; the queue stays as it is. */
  showNew(show: (discovery: Discovery) => void): void {
    for (const [at, queue] of this.#classes.entries()) {
      if (queue === undefined || queue.isEmpty) continue
      const again = new EntryQueue(this.#space)
      while (!queue.isEmpty) {
        const entry = queue.shift()
        show(entry)
        again.push(entry)
      }
      queue.clear()
      this.#classes[at] = again
    }
  }

  hasReady(now: Millis): boolean {
    return this.#queued !== 0 || (this.#retries?.firstAt ?? Number.POSITIVE_INFINITY) <= now
  }

  /** When the next URL is ready; null if none waits. */
  nextReadyAt(now: Millis): Millis | null {
    if (this.#queued !== 0) return now
    const at = this.#retries?.firstAt ?? null
    return at === null ? null : Math.max(now, at)
  }

  /** The time of the first retry; null if there is none. */
  get firstRetryAt(): Millis | null {
    return this.#retries?.firstAt ?? null
  }

  /** Empties the queue and frees memory and disk. */
  close(): void {
    for (const queue of this.#classes) queue?.clear()
    this.#classes.length = 0
    this.#window?.clear()
    this.#filled = 0
    this.#queued = 0
    this.#retries = null
  }
}

/** The class of a score in 0..1; scores outside are clamped, and NaN counts as 0. */
function classOf(score: number): number {
  return score > 0 ? Math.min(CLASSES - 1, Math.floor(score * CLASSES)) : 0
}

interface Waiting {
  readonly entry: QueueEntry
  readonly notBefore: Millis
  readonly order: number
}

/** URLs waiting for their next attempt, by time, then in order of arrival. */
class RetryHeap {
  readonly #heap = new Heap<Waiting>(isBefore)
  #lastOrder = 0

  get size(): number {
    return this.#heap.size
  }

  get firstAt(): Millis | null {
    return this.#heap.first?.notBefore ?? null
  }

  push(entry: QueueEntry, notBefore: Millis): void {
    this.#heap.push({ entry, notBefore, order: ++this.#lastOrder })
  }

  /** The first URL whose time has come, or null. */
  next(now: Millis): QueueEntry | null {
    const { first } = this.#heap
    if (first === undefined || first.notBefore > now) return null
    this.#heap.shift()
    return first.entry
  }
}

function isBefore(a: Waiting, b: Waiting): boolean {
  return a.notBefore < b.notBefore || (a.notBefore === b.notBefore && a.order < b.order)
}
