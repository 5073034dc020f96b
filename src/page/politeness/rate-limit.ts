/** Pages and bytes per second of the whole crawl: whoever is about to fetch waits here for a turn. */
import type { Cancel, Clock, Millis, StopSignal } from '../../model/index.js'

/** What was not used can be caught up for this long: timers are late by a millisecond or two. */
const BURST_MS = 50

/** A token bucket, kept as the moment when it is no longer in debt. */
class Bucket {
  #perSecond = 0
  #freeAt: Millis = Number.NEGATIVE_INFINITY

  get isLimited(): boolean {
    return this.#perSecond > 0
  }

  get perSecond(): number {
    return this.#perSecond
  }

  /** What is owed stays owed, and is paid at the new rate. */
  set(perSecond: number, now: Millis): void {
    const owed = (Math.max(0, this.#freeAt - now) * this.#perSecond) / 1000
    this.#perSecond = Math.max(0, perSecond)
    this.#freeAt =
      this.isLimited && owed > 0 ? now + (owed * 1000) / this.#perSecond : Number.NEGATIVE_INFINITY
  }

  spend(amount: number, now: Millis): void {
    if (!this.isLimited) return
    // The first spender has no past to catch up on.
    const from = this.#freeAt === Number.NEGATIVE_INFINITY ? now : Math.max(this.#freeAt, now - BURST_MS)
    this.#freeAt = from + (amount * 1000) / this.#perSecond
  }

  waitMs(now: Millis): Millis {
    return this.isLimited ? Math.max(0, this.#freeAt - now) : 0
  }
}

interface Waiter {
  readonly signal: StopSignal
  readonly go: () => void
}

export class RateLimit {
  readonly #clock: Clock
  readonly #pages = new Bucket()
  readonly #bytes = new Bucket()
  /** In the order they came. */
  readonly #waiting = new Set<Waiter>()
  /** Hundreds of lanes wait with one signal: it is listened to once, for as long as it lives. */
  readonly #watched = new WeakSet<StopSignal>()
  #cancel: Cancel | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** 0 is no limit. Takes effect for those who already wait. */
  set(pagesPerSecond: number, bytesPerSecond: number): void {
    const now = this.#clock.monotonic()
    this.#pages.set(pagesPerSecond, now)
    this.#bytes.set(bytesPerSecond, now)
    this.#letGo()
  }

  get isLimited(): boolean {
    return this.#pages.isLimited || this.#bytes.isLimited
  }

  /** 0 is no limit. */
  get bytesPerSecond(): number {
    return this.#bytes.perSecond
  }

  /** Those who wait for the total rate. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Resolves when it is one page's turn and the bytes spent so far are paid for, or when `signal` aborts. */
  take(signal: StopSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    if (this.#waiting.size === 0 && this.#waitMs() === 0) {
      this.#takeOne()
      return Promise.resolve()
    }
    this.#watch(signal)
    return new Promise(go => {
      this.#waiting.add({ signal, go })
      if (this.#cancel === null) this.#arm()
    })
  }

  /** Bytes are known only once they have come: they are paid for by those who come next. */
  spend(bytes: number): void {
    this.#bytes.spend(bytes, this.#clock.monotonic())
  }

  #waitMs(): Millis {
    const now = this.#clock.monotonic()
    return Math.max(this.#pages.waitMs(now), this.#bytes.waitMs(now))
  }

  #takeOne(): void {
    this.#pages.spend(1, this.#clock.monotonic())
  }

  #letGo(): void {
    for (const waiter of this.#waiting) {
      if (this.#waitMs() > 0) break
      this.#waiting.delete(waiter)
      this.#takeOne()
      waiter.go()
    }
    this.#arm()
  }

  #watch(signal: StopSignal): void {
    if (this.#watched.has(signal)) return
    this.#watched.add(signal)
    const leave = (): void => {
      for (const waiter of this.#waiting) {
        if (waiter.signal !== signal) continue
        this.#waiting.delete(waiter)
        waiter.go()
      }
      this.#arm()
    }
    signal.addEventListener('abort', leave, { once: true })
  }

  /** Whole milliseconds: a shorter wait may not move the clock at all. */
  #arm(): void {
    this.#cancel?.()
    this.#cancel =
      this.#waiting.size === 0 ? null : this.#clock.after(Math.ceil(this.#waitMs()), () => this.#letGo())
  }
}
