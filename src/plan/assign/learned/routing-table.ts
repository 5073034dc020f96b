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
import { firstIndex, siteOfCell } from '../../../model/index.js'
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

interface Columns {
  readonly parts: number
  /** Fingerprints of the sites, sorted by `high`, then `low`. */
  readonly high: Uint32Array
  readonly low: Uint32Array
  readonly part: Uint16Array
  /** The pulls of site i are those from pullStart[i] to pullStart[i + 1]. */
  readonly pullStart: Uint32Array
  readonly pullPart: Uint16Array
  readonly pullLinks: Float32Array
  readonly prefixes: PrefixRoutes
  readonly addressOf: AddressOf
}

export class RoutingTable {
  readonly #columns: Columns

  static of(parts: number, routes: readonly Route[], prefixes: readonly Prefix[] = []): RoutingTable {
    if (parts < 1 || parts > MOST_PARTS) throw new RangeError(`a routing table of ${parts} parts`)
    const keyed = routes.map(route => {
      takeFingerprint(route.site)
      return { route, high: fingerprint.high, low: fingerprint.low }
    })
    keyed.sort((a, b) => a.high - b.high || a.low - b.low)
    const pulls = keyed.flatMap(({ route }) => route.pulls ?? [])
    const pullStart = new Uint32Array(keyed.length + 1)
    for (const [i, { route }] of keyed.entries()) pullStart[i + 1] = pullStart[i] + (route.pulls?.length ?? 0)
    return new RoutingTable({
      parts,
      high: Uint32Array.from(keyed, ({ high }) => high),
      low: Uint32Array.from(keyed, ({ low }) => low),
      part: Uint16Array.from(keyed, ({ route }) => route.part),
      pullStart,
      pullPart: Uint16Array.from(pulls, ([part]) => part),
      pullLinks: Float32Array.from(pulls, ([, links]) => links),
      prefixes: new PrefixRoutes(prefixes),
      addressOf: writtenAddress,
    })
  }

  private constructor(columns: Columns) {
    this.#columns = columns
  }

  /** A copy with prefixes. */
  withPrefixes(prefixes: readonly Prefix[]): RoutingTable {
    return new RoutingTable({ ...this.#columns, prefixes: new PrefixRoutes(prefixes) })
  }

  get parts(): number {
    return this.#columns.parts
  }

  get sites(): number {
    return this.#columns.part.length
  }

  /** The part of a site, or of the prefix that covers its address; -1 if both are unknown. */
  partOf(site: string): number {
    const { part, prefixes, addressOf } = this.#columns
    const at = this.#find(site)
    if (at >= 0) return part[at]
    // Pieces of a split site are placed for balance, not by address.
    const isAsked = prefixes.prefixes.length > 0 && siteOfCell(site) === site
    const address = isAsked ? addressOf(site) : null
    return address === null ? -1 : prefixes.partOf(address)
  }

  /** The number of links that would have to travel more if the site moved to `part`; negative for fewer. */
  costOf(site: string, part: number): number {
    const at = this.#find(site)
    if (at < 0) return 0
    const { part: parts, pullStart, pullPart, pullLinks } = this.#columns
    let cost = 0
    for (let i = pullStart[at]; i < pullStart[at + 1]; i++) {
      if (pullPart[i] === parts[at]) cost += pullLinks[i]
      if (pullPart[i] === part) cost -= pullLinks[i]
    }
    return cost
  }

  encode(): Buffer {
    const { parts, high, low, part, pullStart, pullPart, pullLinks } = this.#columns
    const pulls = pullPart.length
    // Without pulls their offsets are left out.
    const pulled = pulls > 0 ? [pullStart, pullPart, pullLinks] : []
    const prefixes = Buffer.from(JSON.stringify(this.#columns.prefixes.prefixes))
    const body = Buffer.concat([...[high, low, part, ...pulled].map(bytesOf), prefixes])
    const head = Buffer.alloc(HEAD_BYTES)
    for (const [i, value] of [MAGIC, 0, parts, this.sites, pulls, prefixes.length].entries())
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
    // In the order of the bytes.
    return new RoutingTable({
      parts,
      high: new Uint32Array(take(4 * sites)),
      low: new Uint32Array(take(4 * sites)),
      part: new Uint16Array(take(2 * sites)),
      pullStart: pulls > 0 ? new Uint32Array(take(4 * (sites + 1))) : new Uint32Array(sites + 1),
      pullPart: new Uint16Array(take(2 * pulls)),
      pullLinks: new Float32Array(take(4 * pulls)),
      prefixes: new PrefixRoutes(JSON.parse(Buffer.from(take(prefixBytes)).toString()) as Prefix[]),
      addressOf: site => writtenAddress(site) ?? addressOf(site),
    })
  }

  #find(site: string): number {
    takeFingerprint(site)
    const { high, low } = fingerprint
    const { high: highs, low: lows } = this.#columns
    const at = firstIndex(highs.length, i => (highs[i] - high || lows[i] - low) >= 0)
    return highs[at] === high && lows[at] === low ? at : -1
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
