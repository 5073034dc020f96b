/**
 * Rows of a section: a line of JSON each, because brotli over whole lines compresses better than the deflated
 * pieces of a journal, and because nothing is inflated twice. The reader checks every field.
 */
import { type Discovery, LIMITS, type Millis, type Truncation } from '../../model/index.js'
import { originOf, parseUrl } from '../../model/url/index.js'
import { isCount, isText } from './fields.js'

const LF = 0x0a
const TRUNCATIONS: readonly unknown[] = ['', 'length', 'time', 'disconnect', 'unspecified'] satisfies (
  | Truncation
  | ''
)[]
const isNumber = isCount(0, 0xffff_ffff)
const isVia = isText(LIMITS.urlChars)

/** A visit of a host; head and payload follow each other in the section `exchanges`. */
export interface VisitRow {
  readonly url: string
  readonly depth: number
  readonly hops: number
  readonly via: string
  readonly startedAt: Millis
  readonly fetchMs: Millis
  readonly headBytes: number
  readonly payloadBytes: number
  readonly truncated: Truncation | ''
}

export function writeDiscoveryRow({ url, depth, hops, score, via }: Discovery): string {
  return `${JSON.stringify([url, depth, hops, score, via])}\n`
}

export function writeVisitRow(visit: VisitRow): string {
  const { url, depth, hops, via, startedAt, fetchMs, headBytes, payloadBytes, truncated } = visit
  const row = [url, depth, hops, via, startedAt, Math.round(fetchMs), headBytes, payloadBytes, truncated]
  return `${JSON.stringify(row)}\n`
}

/** Null for a row that is not right; the caller refuses the whole section then. */
export function* readDiscoveryRows(section: Uint8Array): Generator<Discovery | null> {
  for (const row of jsonLines(section)) {
    if (!Array.isArray(row) || row.length !== 5) return yield null
    const [url, depth, hops, score, via] = row as unknown[]
    const isScore = typeof score === 'number' && score >= 0 && score <= 1
    if (!(isUrl(url) && isNumber(depth) && isNumber(hops) && isScore && isVia(via))) return yield null
    yield { url, depth, hops, score, via } as Discovery
  }
}

/** As above; URLs of other origins are refused. */
export function* readVisitRows(section: Uint8Array, origin: string): Generator<VisitRow | null> {
  for (const row of jsonLines(section)) {
    if (!Array.isArray(row) || row.length !== 9) return yield null
    const [url, depth, hops, via, startedAt, fetchMs, headBytes, payloadBytes, truncated] = row as unknown[]
    const isOfOrigin = isUrl(url) && originOf(url) === origin
    const numbers = [depth, hops, fetchMs, headBytes, payloadBytes]
    const isRight = isOfOrigin && numbers.every(isNumber) && isCount(0, 8.64e15)(startedAt)
    if (!isRight || !isVia(via) || !TRUNCATIONS.includes(truncated)) return yield null
    yield { url, depth, hops, via, startedAt, fetchMs, headBytes, payloadBytes, truncated } as VisitRow
  }
}

/** As the crawl writes it: another spelling would be another page. */
function isUrl(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LIMITS.urlChars && parseUrl(value) === value
}

/** Undefined for a line that is not JSON. */
function* jsonLines(section: Uint8Array): Generator<unknown> {
  const bytes = Buffer.from(section.buffer, section.byteOffset, section.length)
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(LF, start)
    const end = newline < 0 ? bytes.length : newline
    yield parsed(bytes.toString('utf8', start, end))
    start = end + 1
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
