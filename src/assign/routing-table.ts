/**
 * S3: site -> part, small enough to be sent to whoever routes. A site is known by its fingerprint, eight bytes; two for its
 * part. Two sites of one fingerprint would share a part, which costs a message now and then and nothing else. A site may
 * also say which other parts it has links with, and how many: who takes it there knows what that costs.
 */
import { crc32 } from 'node:zlib'
import { fingerprint, takeFingerprint } from '../model/fingerprint.js'

/** A site and its part; `pulls` are links with the sites of a part, its own among them. */
export interface Route {
  readonly site: string
  readonly part: number
  readonly pulls?: readonly (readonly [part: number, links: number])[]
}

const MAGIC = 0x31_54_52_4f
const HEAD_BYTES = 20
const MOST_PARTS = 65_535

export class RoutingTable {
  readonly parts: number
  /** Sorted by `#high`, then `#low`. */
  readonly #high: Uint32Array
  readonly #low: Uint32Array
  readonly #part: Uint16Array
  readonly #pullStart: Uint32Array
  readonly #pullPart: Uint16Array
  readonly #pullLinks: Float32Array

  static of(parts: number, routes: readonly Route[]): RoutingTable {
    if (parts < 1 || parts > MOST_PARTS) throw new RangeError(`a routing table of ${parts} parts`)
    const keyed = routes.map(route => {
      takeFingerprint(route.site)
      return { route, high: fingerprint.high, low: fingerprint.low }
    })
    keyed.sort((a, b) => a.high - b.high || a.low - b.low)
    const pulls = keyed.flatMap(({ route }) => route.pulls ?? [])
    const starts = new Uint32Array(keyed.length + 1)
    for (const [i, { route }] of keyed.entries()) starts[i + 1] = starts[i] + (route.pulls?.length ?? 0)
    return new RoutingTable(
      parts,
      Uint32Array.from(keyed, ({ high }) => high),
      Uint32Array.from(keyed, ({ low }) => low),
      Uint16Array.from(keyed, ({ route }) => route.part),
      starts,
      Uint16Array.from(pulls, ([part]) => part),
      Float32Array.from(pulls, ([, links]) => links),
    )
  }

  private constructor(
    parts: number,
    high: Uint32Array,
    low: Uint32Array,
    part: Uint16Array,
    pullStart: Uint32Array,
    pullPart: Uint16Array,
    pullLinks: Float32Array,
  ) {
    this.parts = parts
    this.#high = high
    this.#low = low
    this.#part = part
    this.#pullStart = pullStart
    this.#pullPart = pullPart
    this.#pullLinks = pullLinks
  }

  get sites(): number {
    return this.#part.length
  }

  /** The part of a site; -1 for one that is not known. */
  partOf(site: string): number {
    const at = this.#find(site)
    return at < 0 ? -1 : this.#part[at]
  }

  /** Links that would have to travel if the site were taken to `part` instead of its own; less than 0: fewer than now. */
  costOf(site: string, part: number): number {
    const at = this.#find(site)
    if (at < 0) return 0
    let cost = 0
    for (let i = this.#pullStart[at]; i < this.#pullStart[at + 1]; i++) {
      if (this.#pullPart[i] === this.#part[at]) cost += this.#pullLinks[i]
      if (this.#pullPart[i] === part) cost -= this.#pullLinks[i]
    }
    return cost
  }

  encode(): Buffer {
    const arrays = [this.#high, this.#low, this.#part, this.#pullStart, this.#pullPart, this.#pullLinks]
    const body = Buffer.concat(arrays.map(bytesOf))
    const head = Buffer.alloc(HEAD_BYTES)
    for (const [i, value] of [MAGIC, 0, this.parts, this.sites, this.#pullPart.length].entries())
      head.writeUInt32LE(value, 4 * i)
    head.writeUInt32LE(crc32(body, crc32(head.subarray(8))), 4)
    return Buffer.concat([head, body])
  }

  /** Null when these are not the bytes of a whole table. */
  static decode(bytes: Uint8Array): RoutingTable | null {
    const buffer = Buffer.from(bytes)
    if (buffer.length < HEAD_BYTES || buffer.readUInt32LE(0) !== MAGIC) return null
    if (crc32(buffer.subarray(8)) !== buffer.readUInt32LE(4)) return null
    const [parts, sites, pulls] = [8, 12, 16].map(at => buffer.readUInt32LE(at))
    let at = HEAD_BYTES
    const take = (length: number) => {
      const part = buffer.subarray(at, at + length)
      at += length
      return new Uint8Array(part).buffer
    }
    return new RoutingTable(
      parts,
      new Uint32Array(take(4 * sites)),
      new Uint32Array(take(4 * sites)),
      new Uint16Array(take(2 * sites)),
      new Uint32Array(take(4 * (sites + 1))),
      new Uint16Array(take(2 * pulls)),
      new Float32Array(take(4 * pulls)),
    )
  }

  #find(site: string): number {
    takeFingerprint(site)
    const { high, low } = fingerprint
    let from = 0
    let to = this.#high.length
    while (from < to) {
      const middle = (from + to) >>> 1
      const order = this.#high[middle] - high || this.#low[middle] - low
      if (order === 0) return middle
      if (order < 0) from = middle + 1
      else to = middle
    }
    return -1
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
