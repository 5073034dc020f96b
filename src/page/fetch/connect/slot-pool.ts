/**
 * Limits connections in total and per site (M15). A slot is the right to one connection, and keeps an idle
 * connection for the next URL of its site (K8). Requests above the limits wait in order of arrival; a site at
 * its own limit delays no other site. Idle connections are closed to make room, least recently used first.
 */
import type { Cancel, Clock, Millis } from '../../../model/index.js'
import type { Site } from '../../../model/url/index.js'
import { type Pooled, SiteSlots, type Slot, type SlotWaiter, StarvedSites } from './site-slots.js'

export class SlotPool<C extends Pooled> {
  readonly #clock: Clock
  readonly #idleMs: Millis
  readonly #sites = new Map<Site, SiteSlots<C>>()
  /** Least recently used first. A site with waiting requests has no idle slot. */
  readonly #idle = new Set<Slot<C>>()
  readonly #starved = new StarvedSites<C>()
  #total: number
  #perSite: number
  #open = 0
  #tickets = 0
  #cancelSweep: Cancel | null = null

  constructor(clock: Clock, idleMs: Millis, total: number, perSite: number) {
    this.#clock = clock
    this.#idleMs = idleMs
    this.#total = total
    this.#perSite = perSite
  }

  /** Slots held, including idle ones. */
  get open(): number {
    return this.#open
  }

  get idle(): number {
    return this.#idle.size
  }

  /** Sites that hold a slot or wait for one. */
  get sites(): number {
    return this.#sites.size
  }

  acquire(waiter: SlotWaiter<C>): void {
    const site = this.#siteOf(waiter.site)
    const slot = site.next() === undefined ? (this.#idleSlot(site, waiter) ?? this.#newSlot(site)) : null
    if (slot !== null) waiter.granted(slot)
    else {
      waiter.ticket = ++this.#tickets
      site.enqueue(waiter)
      if (site.open < this.#perSite) this.#starved.add(site)
    }
  }

  /** Stops waiting; the queue will skip this request. */
  cancel(waiter: SlotWaiter<C>): void {
    waiter.ticket = 0
    const site = this.#sites.get(waiter.site)
    if (site !== undefined) this.#dropUnused(site)
  }

  /** Ends the request. `connection` is null if it cannot be used again. */
  release(slot: Slot<C>, connection: C | null): void {
    slot.connection = connection
    const next = slot.site.next()
    const starved = this.#starved.first()?.next()
    if (this.#open > this.#total || slot.site.open > this.#perSite) this.#drop(slot)
    else if (next !== undefined && (starved === undefined || next.ticket <= starved.ticket)) {
      slot.site.dequeue()
      this.#hand(slot, next)
    } else if (connection === null || starved !== undefined) this.#drop(slot)
    else this.#rest(slot)
  }

  /** The connection of an idle slot has ended. */
  lost(slot: Slot<C>): void {
    if (this.#idle.has(slot)) this.#closeIdle(slot)
  }

  setBounds(total: number, perSite: number): void {
    this.#total = total
    this.#perSite = perSite
    while (this.#open > total && this.#evict()) {}
    for (const site of this.#sites.values()) {
      while (site.open > perSite && site.idle.length > 0) this.#closeIdle(site.idle[0])
      if (site.open < perSite) this.#starved.add(site)
    }
    this.#serve()
  }

  /** Closes idle connections; the others are closed when released. */
  close(): void {
    this.#total = 0
    while (this.#evict()) {}
    this.#cancelSweep?.()
    this.#cancelSweep = null
  }

  #siteOf(name: Site): SiteSlots<C> {
    let site = this.#sites.get(name)
    if (site === undefined) {
      site = new SiteSlots(name)
      this.#sites.set(name, site)
    }
    return site
  }

  #idleSlot(site: SiteSlots<C>, waiter: SlotWaiter<C>): Slot<C> | null {
    for (let i = site.idle.length - 1; i >= 0; i--) {
      const slot = site.idle[i]
      if (slot.connection?.fits(waiter.secure, waiter.address)) return this.#unidle(slot)
    }
    if (site.open < this.#perSite || site.idle.length === 0) return null
    // The site is at its limit, with a connection to another port or scheme.
    const slot = this.#unidle(site.idle[0])
    slot.connection?.close()
    slot.connection = null
    return slot
  }

  #newSlot(site: SiteSlots<C>): Slot<C> | null {
    if (site.open >= this.#perSite || (this.#open >= this.#total && !this.#evict())) return null
    // Making room may have closed the site's last connection and removed the site.
    if (site.open === 0) this.#sites.set(site.name, site)
    site.open++
    this.#open++
    return { site, connection: null, idleSince: 0 }
  }

  #hand(slot: Slot<C>, waiter: SlotWaiter<C>): void {
    waiter.ticket = 0
    if (slot.connection?.fits(waiter.secure, waiter.address) === false) {
      slot.connection.close()
      slot.connection = null
    }
    waiter.granted(slot)
  }

  #rest(slot: Slot<C>): void {
    slot.idleSince = this.#clock.monotonic()
    slot.site.idle.push(slot)
    this.#idle.add(slot)
    this.#cancelSweep ??= this.#clock.after(this.#idleMs, () => this.#sweep())
  }

  #drop(slot: Slot<C>): void {
    this.#forget(slot)
    if (slot.site.open < this.#perSite) this.#starved.add(slot.site)
    this.#serve()
  }

  /** Gives up the slot without serving a waiting request. */
  #forget(slot: Slot<C>): void {
    const { site } = slot
    slot.connection?.close()
    slot.connection = null
    site.open--
    this.#open--
    this.#dropUnused(site)
  }

  #dropUnused(site: SiteSlots<C>): void {
    if (site.open === 0 && site.next() === undefined) this.#sites.delete(site.name)
  }

  /** Grants slots to waiting requests in order, as far as the limits allow. */
  #serve(): void {
    for (let site = this.#starved.first(); site !== undefined; site = this.#starved.first()) {
      if (site.open < this.#perSite) {
        const slot = this.#newSlot(site)
        if (slot === null) return
        const waiter = site.dequeue()
        this.#starved.remove()
        this.#starved.add(site)
        if (waiter !== undefined) this.#hand(slot, waiter)
      } else this.#starved.remove()
    }
  }

  #unidle(slot: Slot<C>): Slot<C> {
    this.#idle.delete(slot)
    const { idle } = slot.site
    idle.splice(idle.indexOf(slot), 1)
    return slot
  }

  #closeIdle(slot: Slot<C>): void {
    this.#forget(this.#unidle(slot))
  }

  /** Closes the least recently used idle connection; false if none is idle. */
  #evict(): boolean {
    for (const slot of this.#idle) {
      this.#closeIdle(slot)
      return true
    }
    return false
  }

  #sweep(): void {
    this.#cancelSweep = null
    const now = this.#clock.monotonic()
    for (const slot of this.#idle) {
      const leftMs = slot.idleSince + this.#idleMs - now
      if (leftMs > 0) {
        this.#cancelSweep = this.#clock.after(leftMs, () => this.#sweep())
        return
      }
      this.#closeIdle(slot)
    }
  }
}
