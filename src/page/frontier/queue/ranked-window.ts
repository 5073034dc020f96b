/**
 * `--order inlinks` (D25): the queued URLs of a cell by the number of links found to them, and among equals
 * by arrival. A link to a waiting URL moves it up at once, in a heap whose entries know their positions. All
 * windows of an agent share a memory limit; the rest waits outside, breadth first.
 */

import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import type { Discovery } from '../../../model/index.js'

/** Memory of an entry without its texts. */
const ENTRY_BYTES = 200

/** The memory limit of all windows of an agent. */
export class RankedRoom {
  readonly #limitBytes: number
  #usedBytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get isFull(): boolean {
    return this.#usedBytes >= this.#limitBytes
  }

  take(bytes: number): void {
    this.#usedBytes += bytes
  }
}

interface Ranked {
  readonly discovery: Discovery
  readonly key: number
  readonly arrival: number
  links: number
  place: number
}

export class RankedWindow {
  readonly #room: RankedRoom
  readonly #heap: Ranked[] = []
  readonly #byKey = new Map<number, Ranked>()
  #arrivals = 0

  constructor(room: RankedRoom) {
    this.#room = room
  }

  get hasRoom(): boolean {
    return !this.#room.isFull
  }

  push(discovery: Discovery): void {
    this.#room.take(bytesOf(discovery))
    takeFingerprint(discovery.url)
    const key = keyOf(fingerprint.low, fingerprint.high)
    const entry = { discovery, key, arrival: ++this.#arrivals, links: 1, place: this.#heap.length }
    this.#heap.push(entry)
    this.#byKey.set(key, entry)
    this.#rise(entry)
  }

  /** A link to a known URL was found. */
  linked(low: number, high: number): void {
    const entry = this.#byKey.get(keyOf(low, high))
    if (entry === undefined) return
    entry.links++
    this.#rise(entry)
  }

  shift(): Discovery | null {
    const first = this.#heap[0]
    if (first === undefined) return null
    const last = this.#heap.pop()!
    if (last !== first) {
      this.#put(last, 0)
      this.#sink(last)
    }
    // A row of the same URL with a smaller depth (`--max-depth`) may have replaced it.
    if (this.#byKey.get(first.key) === first) this.#byKey.delete(first.key)
    this.#room.take(-bytesOf(first.discovery))
    return first.discovery
  }

  clear(): void {
    for (const { discovery } of this.#heap) this.#room.take(-bytesOf(discovery))
    this.#heap.length = 0
    this.#byKey.clear()
  }

  #rise(entry: Ranked): void {
    while (entry.place > 0) {
      const parent = this.#heap[(entry.place - 1) >> 1]
      if (!isBefore(entry, parent)) return
      const { place } = entry
      this.#put(entry, parent.place)
      this.#put(parent, place)
    }
  }

  #sink(entry: Ranked): void {
    for (;;) {
      const left = 2 * entry.place + 1
      let best = this.#heap[left]
      if (best === undefined) return
      const right = this.#heap[left + 1]
      if (right !== undefined && isBefore(right, best)) best = right
      if (!isBefore(best, entry)) return
      const { place } = entry
      this.#put(entry, best.place)
      this.#put(best, place)
    }
  }

  #put(entry: Ranked, place: number): void {
    entry.place = place
    this.#heap[place] = entry
  }
}

function bytesOf({ url, via }: Discovery): number {
  return ENTRY_BYTES + url.length + via.length
}

/** A score set by the user outranks counted links. */
function isBefore(a: Ranked, b: Ranked): boolean {
  if (a.discovery.score !== b.discovery.score) return a.discovery.score > b.discovery.score
  return a.links > b.links || (a.links === b.links && a.arrival < b.arrival)
}

/** 53 bits of a fingerprint; two URLs with the same key only share their count. */
function keyOf(low: number, high: number): number {
  return (high >>> 11) * 4_294_967_296 + low
}
