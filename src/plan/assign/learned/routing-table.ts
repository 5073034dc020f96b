/**
 * A routing table: site -> part (S3), in a compact form that is sent to all agents. A site takes eight bytes
 * for its fingerprint and two for its part. Two sites with the same fingerprint would share a part, which
 * costs a few messages and nothing else. A route may also have the numbers of links to other parts, from
 * which the cost of moving the site follows. Address prefixes give the parts of unknown sites whose address
 * is known.
 */
import { isIP } from 'node:net'
import { crc32 } from 'node:zlib'
import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import { siteOfCell } from '../../../model/index.js'
import { type Prefix, PrefixRoutes } from './prefix-table.js'

/** A site and its part. `pulls` has its links with the sites of parts, its own part included. */
export interface Route {
  readonly site: string
  readonly part: number
  readonly pulls?: readonly (readonly [part: number, links: number])[]
}

/** The address of a site if it is known without a query, else null. */
export type AddressOf = (site: string) => string | null

const MAGIC = 0x32_54_52_4f
const HEAD_BYTES = 24
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
  readonly #prefixes: PrefixRoutes
  readonly #addressOf: AddressOf

  static of(parts: number, routes: readonly Route[], prefixes: readonly Prefix[] = []): RoutingTable {
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
      new PrefixRoutes(prefixes),
      writtenAddress,
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
    prefixes: PrefixRoutes,
    addressOf: AddressOf,
  ) {
    this.parts = parts
    this.#high = high
    this.#low = low
    this.#part = part
    this.#pullStart = pullStart
    this.#pullPart = pullPart
    this.#pullLinks = pullLinks
    this.#prefixes = prefixes
    this.#addressOf = addressOf
  }

  /** A copy with prefixes. */
  withPrefixes(prefixes: readonly Prefix[]): RoutingTable {
    return new RoutingTable(
      this.parts,
      this.#high,
      this.#low,
      this.#part,
      this.#pullStart,
      this.#pullPart,
      this.#pullLinks,
      new PrefixRoutes(prefixes),
      this.#addressOf,
    )
  }

  get sites(): number {
    return this.#part.length
  }

  /** The part of a site, or of the prefix that covers its address; -1 if both are unknown. */
  partOf(site: string): number {
    const at = this.#find(site)
    if (at >= 0) return this.#part[at]
    // Pieces of a split site are placed for balance, not by address.
    const isAsked = this.#prefixes.prefixes.length > 0 && siteOfCell(site) === site
    const address = isAsked ? this.#addressOf(site) : null
    return address === null ? -1 : this.#prefixes.partOf(address)
  }

  /** The number of links that would have to travel more if the site moved to `part`; negative for fewer. */
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
    const pulls = this.#pullPart.length
    // Without pulls their offsets are left out.
    const pulled = pulls > 0 ? [this.#pullStart, this.#pullPart, this.#pullLinks] : []
    const prefixes = Buffer.from(JSON.stringify(this.#prefixes.prefixes))
    const body = Buffer.concat([...[this.#high, this.#low, this.#part, ...pulled].map(bytesOf), prefixes])
    const head = Buffer.alloc(HEAD_BYTES)
    for (const [i, value] of [MAGIC, 0, this.parts, this.sites, pulls, prefixes.length].entries())
      head.writeUInt32LE(value, 4 * i)
    head.writeUInt32LE(crc32(body, crc32(head.subarray(8))), 4)
    return Buffer.concat([head, body])
  }

  /** Null if the bytes are damaged. `addressOf` is used for sites whose name contains no address. */
  static decode(bytes: Uint8Array, addressOf: AddressOf = () => null): RoutingTable | null {
    const buffer = Buffer.from(bytes)
    if (buffer.length < HEAD_BYTES || buffer.readUInt32LE(0) !== MAGIC) return null
    if (crc32(buffer.subarray(8)) !== buffer.readUInt32LE(4)) return null
    const [parts, sites, pulls, prefixBytes] = [8, 12, 16, 20].map(at => buffer.readUInt32LE(at))
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
      pulls > 0 ? new Uint32Array(take(4 * (sites + 1))) : new Uint32Array(sites + 1),
      new Uint16Array(take(2 * pulls)),
      new Float32Array(take(4 * pulls)),
      new PrefixRoutes(JSON.parse(Buffer.from(take(prefixBytes)).toString()) as Prefix[]),
      site => writtenAddress(site) ?? addressOf(site),
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

/** The address in a site's name, as in `192.0.2.1:8080` or `[2001:db8::1]`. */
function writtenAddress(site: string): string | null {
  const end = site.startsWith('[') ? site.indexOf(']') : site.indexOf(':')
  const host = site.slice(site.startsWith('[') ? 1 : 0, end < 0 ? undefined : end)
  return isIP(host) > 0 ? host : null
}
