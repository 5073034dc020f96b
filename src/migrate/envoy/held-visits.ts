/** Visits that have come home and that the lane has not asked for yet, within a bound. */
import { type Clock, type Exchange, type Millis, WakeUp } from '../../model/index.js'
import { HELD_OVERHEAD_BYTES, HELD_VISIT_BYTES } from '../limits.js'
import type { ReadPart } from '../tour/index.js'

export class HeldVisits {
  readonly #exchanges = new Map<string, Exchange>()
  readonly #clock: Clock
  readonly #waiting = new Set<WakeUp>()
  #bytes = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * True while another part may be fetched. If the lane waits for a URL that is not here, the oldest visits
   * make room: those are URLs that this crawl may never ask for.
   */
  makesRoom(): boolean {
    if (this.#waiting.size > 0)
      for (const [url, exchange] of this.#exchanges) {
        if (this.#bytes < HELD_VISIT_BYTES) break
        this.#remove(url, exchange)
      }
    return this.#bytes < HELD_VISIT_BYTES
  }

  has(url: string): boolean {
    return this.#exchanges.has(url)
  }

  urls(): Iterable<string> {
    return this.#exchanges.keys()
  }

  add({ visits }: ReadPart): void {
    for (const { discovery, exchange } of visits) {
      if (this.#exchanges.has(discovery.url)) continue
      this.#exchanges.set(discovery.url, exchange)
      this.#bytes += bytesOf(exchange)
    }
    this.wake()
  }

  /** Something has come, or nothing comes any more. */
  wake(): void {
    for (const waiter of this.#waiting) waiter.notify()
  }

  /** Waits until the visit is here; null if it is not, and `isOver` says that it need not be awaited. */
  async take(url: string, lookMs: Millis, isOver: () => boolean): Promise<Exchange | null> {
    const waiter = new WakeUp(this.#clock)
    this.#waiting.add(waiter)
    try {
      for (;;) {
        const exchange = this.#exchanges.get(url)
        if (exchange !== undefined) {
          this.#remove(url, exchange)
          return exchange
        }
        if (isOver()) return null
        await waiter.wait(lookMs)
      }
    } finally {
      this.#waiting.delete(waiter)
    }
  }

  #remove(url: string, exchange: Exchange): void {
    this.#exchanges.delete(url)
    this.#bytes -= bytesOf(exchange)
  }
}

function bytesOf({ payload, body, responseHead }: Exchange): number {
  return payload.length + (body === payload ? 0 : body.length) + responseHead.length + HELD_OVERHEAD_BYTES
}
