/**
 * Reads a part at home. A return is input, not truth: one wrong row, or more than a home allows, refuses the
 * whole part, and with it the host.
 */
import { type Discovery, type Exchange, LIMITS } from '../../model/index.js'
import { ContentDecoder } from '../../page/fetch/body/index.js'
import { codingsOf, parseHead, type ResponseHead } from '../../page/fetch/http/index.js'
import {
  openPart,
  type ReturnPartManifest,
  readDiscoveryRows,
  readVisitRows,
  type VisitRow,
} from '../bundle/index.js'
import { PART_LINKS, PART_PAGES } from '../limits.js'

interface ReturnBounds {
  /** Public key of the host. */
  readonly host: string
  readonly bundle: string
  readonly cell: string
  readonly epoch: number
  /** Number of the part that is due. */
  readonly number: number
  /** The most bytes of the part, as sent. */
  readonly bytes: number
  readonly origin: string
  /** `--max-body` */
  readonly bodyBytes: number
  /** A visit cannot be later than this. */
  readonly now: number
}

interface ReturnedVisit {
  readonly discovery: Discovery
  readonly exchange: Exchange
}

export interface ReadPart {
  readonly manifest: ReturnPartManifest
  readonly visits: readonly ReturnedVisit[]
  /** Fingerprints of pages that were judged and not kept, as pairs of halves. */
  readonly judged: Uint32Array
  readonly links: readonly Discovery[]
}

const NOTHING = Buffer.alloc(0)
const decoder = new ContentDecoder(LIMITS.stackedEncodings)

/** Text is the reason for a refusal. */
export async function readPart(bytes: Buffer, bounds: ReturnBounds): Promise<ReadPart | string> {
  const opened = await openPart(bytes, bounds)
  if (!opened.ok) return opened.why
  const { manifest, exchanges, judged, links } = opened
  if (judged.length / 8 > PART_PAGES) return `it judges more than ${PART_PAGES} pages`
  const visits = await visitsOf(opened.visits, Buffer.from(exchanges), bounds)
  if (typeof visits === 'string') return visits
  const found = linksOf(links)
  if (typeof found === 'string') return found
  return { manifest, visits, judged: halvesOf(judged), links: found }
}

async function visitsOf(
  section: Uint8Array,
  exchanges: Buffer,
  bounds: ReturnBounds,
): Promise<ReturnedVisit[] | string> {
  const visits: ReturnedVisit[] = []
  let at = 0
  for (const row of readVisitRows(section, bounds.origin)) {
    if (row === null) return 'it has a visit that is not right'
    if (visits.length >= PART_PAGES) return `it has more than ${PART_PAGES} visits`
    const end = at + row.headBytes + row.payloadBytes
    if (end > exchanges.length) return 'a response is missing'
    const exchange = await exchangeOf(row, exchanges.subarray(at, end), bounds)
    if (exchange === null) return `the response of ${row.url} is not one`
    const { url, depth, hops, via } = row
    visits.push({ discovery: { url, depth, hops, score: 0, via }, exchange })
    at = end
  }
  return at === exchanges.length ? visits : 'it has more bytes than responses'
}

async function exchangeOf(row: VisitRow, bytes: Buffer, bounds: ReturnBounds): Promise<Exchange | null> {
  const responseHead = bytes.subarray(0, row.headBytes)
  const payload = bytes.subarray(row.headBytes)
  if (row.headBytes > LIMITS.headerBytes || payload.length > bounds.bodyBytes) return null
  if (!/\r?\n\r?\n$/.test(responseHead.toString('latin1', Math.max(0, row.headBytes - 4)))) return null
  const head = parseHead(responseHead.toString('latin1'), LIMITS.headerCount)
  if (!('header' in head)) return null
  const decoded = await decoder.decode(payload, codingsOf(head as ResponseHead), bounds.bodyBytes)
  if (!decoded.ok) return null
  const truncated = row.truncated === '' ? {} : { truncated: row.truncated }
  return {
    url: row.url,
    startedAt: Math.min(row.startedAt, bounds.now),
    fetchMs: row.fetchMs,
    connectMs: 0,
    remoteAddress: '',
    requestHead: NOTHING,
    status: head.status,
    responseHead,
    rawBody: payload,
    payload,
    body: decoded.body,
    ...truncated,
    header: name => head.header(name),
    headerValues: name => head.values(name),
  }
}

function linksOf(section: Uint8Array): Discovery[] | string {
  const links: Discovery[] = []
  for (const link of readDiscoveryRows(section)) {
    if (link === null) return 'it has a link that is not right'
    if (links.length >= PART_LINKS) return `it has more than ${PART_LINKS} links`
    links.push(link)
  }
  return links
}

function halvesOf(judged: Uint8Array): Uint32Array {
  const view = new DataView(judged.buffer, judged.byteOffset, judged.length)
  return Uint32Array.from({ length: judged.length / 4 }, (_, at) => view.getUint32(at * 4, true))
}
