/** Limits pages and bytes per second of the whole crawl. Each fetch waits here first. */

import type { Cancel, Clock, Millis, StopSignal } from '../../model/index.js'
import { RATE_LIMIT_BURST_MS } from '../limits.js'

/** A token bucket, stored as the time at which its debt ends. */
class Bucket {
  #perSecond = 0
  #freeAt: Millis = Number.NEGATIVE_INFINITY

  get isLimited(): boolean {
    return this.#perSecond > 0
  }

  get perSecond(): number {
    return this.#perSecond
  }

  /** The debt remains, and is paid at the new rate. */
  set(perSecond: number, now: Millis): void {
    const owed = (Math.max(0, this.#freeAt - now) * this.#perSecond) / 1000
    this.#perSecond = Math.max(0, perSecond)
    this.#freeAt =
      this.isLimited && owed > 0 ? now + (owed * 1000) / this.#perSecond : Number.NEGATIVE_INFINITY
  }

  spend(amount: number, now: Millis): void {
    if (!this.isLimited) return
    // The first expense has no unused rate to catch up.
    const from =
      this.#freeAt === Number.NEGATIVE_INFINITY ? now : Math.max(this.#freeAt, now - RATE_LIMIT_BURST_MS)
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
  /** In order of arrival. */
  readonly #waiting = new Set<Waiter>()
  /** Hundreds of lanes wait with the same signal, so each signal gets one listener. */
  readonly #watched = new WeakSet<StopSignal>()
  #cancel: Cancel | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** 0 means no limit. Also applies to waiting fetches. */
  set(pagesPerSecond: number, bytesPerSecond: number): void {
    const now = this.#clock.monotonic()
    this.#pages.set(pagesPerSecond, now)
    this.#bytes.set(bytesPerSecond, now)
    this.#letGo()
  }

  get isLimited(): boolean {
    return this.#pages.isLimited || this.#bytes.isLimited
  }

  /** 0 means no limit. */
  get bytesPerSecond(): number {
    return this.#bytes.perSecond
  }

  /** Number of waiting fetches. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Resolves when the rates allow another page, or when `signal` aborts. */
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

  /** The size is known only after a fetch, so the following fetches pay for it. */
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

  /** In whole milliseconds: the clock may not show a shorter wait. */
  #arm(): void {
    this.#cancel?.()
    this.#cancel =
      this.#waiting.size === 0 ? null : this.#clock.after(Math.ceil(this.#waitMs()), () => this.#letGo())
  }
}
