/**
 * The state of the slot pool: what each site has open, idle and waiting, and which sites wait for a free
 * slot.
 */
import type { Millis } from '../../../model/index.js'
import type { Site } from '../../../model/url/index.js'

/** A connection, as the pool sees it. */
export interface Pooled {
  /** Whether a request to this address can use it. */
  fits(secure: boolean, address: string | undefined): boolean
  close(): void
}

/** The right to one connection. */
export interface Slot<C extends Pooled> {
  readonly site: SiteSlots<C>
  connection: C | null
  idleSince: Millis
}

/** A request that needs a slot. */
export interface SlotWaiter<C extends Pooled> {
  readonly site: Site
  readonly secure: boolean
  readonly address: string | undefined
  /** Its place in the waiting order, set by the pool; 0 if it does not wait. */
  ticket: number
  /** Called once, possibly at once. The slot's connection fits the request, or is null. */
  granted(slot: Slot<C>): void
}

export class SiteSlots<C extends Pooled> {
  readonly name: Site
  /** Slots held, including idle ones. */
  open = 0
  /** Most recently used last. */
  readonly idle: Slot<C>[] = []
  readonly #waiting: SlotWaiter<C>[] = []
  /** Whether it is in `StarvedSites`. */
  starved = false

  constructor(name: Site) {
    this.name = name
  }

  enqueue(waiter: SlotWaiter<C>): void {
    this.#waiting.push(waiter)
  }

  /** The first request that still waits. */
  next(): SlotWaiter<C> | undefined {
    while (this.#waiting.length > 0 && this.#waiting[0].ticket === 0) this.#waiting.shift()
    return this.#waiting[0]
  }

  dequeue(): SlotWaiter<C> | undefined {
    const next = this.next()
    this.#waiting.shift()
    return next
  }
}

/** Sites below their own limit that wait for the total limit, longest wait first. */
export class StarvedSites<C extends Pooled> {
  readonly #sites: { readonly ticket: number; readonly site: SiteSlots<C> }[] = []

  /** `site` must have a waiting request. */
  add(site: SiteSlots<C>): void {
    const ticket = site.next()?.ticket
    if (site.starved || ticket === undefined) return
    site.starved = true
    let low = 0
    let high = this.#sites.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#sites[middle].ticket < ticket) low = middle + 1
      else high = middle
    }
    this.#sites.splice(low, 0, { ticket, site })
  }

  /** The next site; skips sites whose waiting requests were cancelled. */
  first(): SiteSlots<C> | undefined {
    while (this.#sites.length > 0 && this.#sites[0].site.next() === undefined) this.remove()
    return this.#sites[0]?.site
  }

  /** Removes the first site. */
  remove(): void {
    const first = this.#sites.shift()
    if (first !== undefined) first.site.starved = false
  }
}
