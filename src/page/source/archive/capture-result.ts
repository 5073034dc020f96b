/** A stored record as the result of a fetch: the response as it was recorded. */
import type { FetchLimits, Millis, OutcomeCode, Truncation } from '../../../model/index.js'
import { LIMITS } from '../../../model/index.js'
import type { ContentDecoder, Decoded } from '../../fetch/body/index.js'
import {
  codingsOf,
  confirmsKnown,
  parseHead,
  type ResponseHead,
  unwantedBody,
} from '../../fetch/http/index.js'
import type { FetchRequest, FetchResult } from '../../fetch/index.js'
import { type BodyClaim, LocalExchange } from '../local/index.js'
import { archivedHead, isOfFile, payloadOf } from '../warc/index.js'
import type { StoredRecord } from './record-source.js'

export interface Found {
  /** The record whose head counts. */
  readonly record: StoredRecord
  /** The record whose payload counts: the original of a revisit. */
  readonly content: StoredRecord
  /** When it was captured. */
  readonly at: Millis
}

export interface ResultTools {
  readonly decoder: ContentDecoder
  readonly limits: FetchLimits
  readonly claim: BodyClaim
  readonly fetchMs: () => Millis
}

const NOTHING = Buffer.alloc(0)
const WHOLE: Decoded = { ok: true, body: NOTHING, cut: null }
/** What the crawler that wrote the record would have said itself. */
const RECORDED: Readonly<
  Record<string, { readonly code: OutcomeCode; readonly detail: string } | undefined>
> = {
  time: { code: 'BODY_TOO_SLOW', detail: 'the record says that the body did not end in time' },
  disconnect: { code: 'BODY_CUT', detail: 'the record says that the connection ended inside the body' },
}

interface Reading extends Found {
  readonly request: FetchRequest
  readonly tools: ResultTools
  readonly head: ResponseHead
  readonly responseHead: Buffer
}

export function resultOf(
  found: Found,
  request: FetchRequest,
  tools: ResultTools,
): FetchResult | Promise<FetchResult> {
  const own = archivedHead(found.record)
  const original = found.content === found.record ? own : archivedHead(found.content)
  if (original === null)
    return { ok: false, code: 'BAD_RESPONSE', detail: 'the record holds no HTTP response' }
  // A revisit after a 304 has the head of that 304: the page is the one that it refers to.
  const used = own === null || own.head.status === 304 ? original : own
  const from = used === original ? found.content : found.record
  const responseHead = isOfFile(from) ? NOTHING : from.block.subarray(0, used.end)
  const reading = { ...found, request, tools, head: used.head, responseHead }
  if (confirmsKnown(used.head, request.known)) return notModified(reading)
  const unwanted = unwantedBody(used.head, request.types)
  if (unwanted !== null) return settle(reading, NOTHING, NOTHING, WHOLE, { ...unwanted, truncated: 'length' })
  return bodyOf(reading, found.content.block.subarray(original.end), original.head)
}

type Trouble = { readonly code: OutcomeCode; readonly detail: string; readonly truncated?: Truncation }

function bodyOf(reading: Reading, raw: Buffer, original: ResponseHead): FetchResult | Promise<FetchResult> {
  const { request, tools, content } = reading
  const maxBytes = request.bodyBytes ?? tools.limits.bodyBytes
  const unframed = payloadOf(original, raw)
  const payload = unframed.subarray(0, maxBytes)
  const rawBody = unframed === raw ? payload : raw
  const trouble = troubleOf(content, unframed.length > maxBytes)
  const codings = payload.length === 0 ? [] : codingsOf(original)
  if (codings.length === 0)
    return settle(reading, rawBody, payload, { ok: true, body: payload, cut: null }, trouble)
  const decoded = tools.decoder.decode(payload, codings, maxBytes, () => tools.claim.room(maxBytes))
  return decoded instanceof Promise
    ? decoded.then(late => settle(reading, rawBody, payload, late, trouble))
    : settle(reading, rawBody, payload, decoded, trouble)
}

function troubleOf({ cut, headers }: StoredRecord, isLong: boolean): Partial<Trouble> | null {
  if (cut === 'early')
    return { code: 'BODY_CUT', detail: 'the record is shorter than it says', truncated: 'disconnect' }
  const recorded = headers.get('warc-truncated')?.toLowerCase()
  if (recorded !== undefined) {
    const truncated = TRUNCATIONS.find(word => word === recorded) ?? 'unspecified'
    return { ...RECORDED[recorded], truncated }
  }
  return isLong || cut === 'limit' ? { truncated: 'length' } : null
}

const TRUNCATIONS: readonly Truncation[] = ['length', 'time', 'disconnect']

function settle(
  reading: Reading,
  rawBody: Buffer,
  payload: Buffer,
  decoded: Decoded,
  trouble: Partial<Trouble> | null,
): FetchResult {
  const body = decoded.ok ? decoded.body : NOTHING
  if (decoded.ok && body !== payload) reading.tools.claim.add(body.length)
  const cut =
    !decoded.ok || decoded.cut === null ? undefined : decoded.cut === 'limit' ? 'length' : 'unspecified'
  const exchange = exchangeOf(reading, rawBody, payload, body, trouble?.truncated ?? cut)
  if (trouble?.code !== undefined)
    return { ok: false, code: trouble.code, detail: trouble.detail ?? '', exchange }
  if (!decoded.ok) return { ok: false, code: 'BAD_ENCODING', detail: decoded.detail, exchange }
  return { ok: true, exchange }
}

function exchangeOf(
  { request, tools, content, at, head, responseHead, record }: Reading,
  rawBody: Buffer,
  payload: Buffer,
  body: Buffer,
  truncated: Truncation | undefined,
): LocalExchange {
  const read = {
    url: request.url,
    startedAt: dateOf(record, at),
    fetchMs: tools.fetchMs(),
    head,
    responseHead,
    remoteAddress: record.headers.get('warc-ip-address') ?? '',
    rawBody,
    payload,
    body,
    truncated,
    medium: isOfFile(content) ? ('file' as const) : undefined,
  }
  return new LocalExchange(read, () => tools.claim.leave())
}

/** An index has seconds only. */
function dateOf({ headers }: StoredRecord, indexed: Millis): Millis {
  const at = Date.parse(headers.get('warc-date') ?? '')
  return Number.isNaN(at) ? indexed : at
}

/** The answer to a conditional request, with the validators that were recorded. */
function notModified(reading: Reading): FetchResult {
  const lines = ['ETag', 'Last-Modified'].map(name => {
    const value = reading.head.header(name.toLowerCase())
    return value === undefined ? '' : `${name}: ${value}\r\n`
  })
  const text = `HTTP/1.1 304 Not Modified\r\n${lines.join('')}\r\n`
  const head = parseHead(text, LIMITS.headerCount) as ResponseHead
  const responseHead = isOfFile(reading.content) ? NOTHING : Buffer.from(text, 'latin1')
  return {
    ok: true,
    exchange: exchangeOf({ ...reading, head, responseHead }, NOTHING, NOTHING, NOTHING, undefined),
  }
}
