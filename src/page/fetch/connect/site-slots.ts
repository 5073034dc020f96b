/**
 * The books of the slot pool: what each site has open, idle and waiting, and which sites wait for a free
 * slot.
 */
import type { Millis } from '../../../model/index.js'
import type { Site } from '../../../model/url/index.js'

/** What a slot keeps. */
export interface Pooled {
  /** Whether it leads where a request wants to go. */
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
  /** Its place in the order of waiting, set by the pool; 0 when it does not wait. */
  ticket: number
  /** Called once, perhaps at once. The slot's connection fits, or there is none. */
  granted(slot: Slot<C>): void
}

export class SiteSlots<C extends Pooled> {
  readonly name: Site
  /** Slots held, idle ones included. */
  open = 0
  /** Most recently used last. */
  readonly idle: Slot<C>[] = []
  readonly #waiting: SlotWaiter<C>[] = []
  /** True while it stands among the starved. */
  starved = false

  constructor(name: Site) {
    this.name = name
  }

  enqueue(waiter: SlotWaiter<C>): void {
    this.#waiting.push(waiter)
  }

  /** The first that still waits. */
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

/** Sites that could have another connection if the total allowed it, those that wait longest first. */
export class Starved<C extends Pooled> {
  readonly #sites: { readonly ticket: number; readonly site: SiteSlots<C> }[] = []

  /** `site` must have somebody waiting. */
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

  /** The site served next; those whose seekers gave up are passed over. */
  first(): SiteSlots<C> | undefined {
    while (this.#sites.length > 0 && this.#sites[0].site.next() === undefined) this.remove()
    return this.#sites[0]?.site
  }

  /** Removes the first. */
  remove(): void {
    const first = this.#sites.shift()
    if (first !== undefined) first.site.starved = false
  }
}
