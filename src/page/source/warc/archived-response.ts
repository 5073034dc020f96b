/** The page inside a WARC record: an HTTP response, or a file without one. */
import { LIMITS } from '../../../model/index.js'
import { ContentDecoder } from '../../fetch/body/index.js'
import {
  ChunkScanner,
  codingsOf,
  dechunk,
  headEnd,
  parseHead,
  type ResponseHead,
} from '../../fetch/http/index.js'
import type { WarcRecord } from './warc-reader.js'

export interface ArchivedResponse {
  readonly head: ResponseHead
  /** The bytes of the head; empty for a file. */
  readonly headBytes: Buffer
  /** Without chunk framing, still content-encoded. */
  readonly payload: Buffer
  /** Decoded, cut at the given bound. */
  readonly body: Buffer
}

const decoder = new ContentDecoder(LIMITS.stackedEncodings)

/** True for records of a page: its content, or a reference to it. */
export function holdsPage({ type }: WarcRecord): boolean {
  return type === 'response' || type === 'resource' || type === 'revisit'
}

/** True for a record that was written for a file: it has no response head. */
export function isOfFile({ type, block }: WarcRecord): boolean {
  return type === 'resource' || (type === 'revisit' && block.length === 0)
}

/** The bytes of `WARC-Payload-Digest`; null if the record has no page. */
export function archivedPayload(record: WarcRecord): Buffer | null {
  const found = archivedHead(record)
  return found && payloadOf(found.head, record.block.subarray(found.end))
}

/** Head and end of the head in the block; null if the record has no page, or its head cannot be read. */
export function archivedHead(
  record: WarcRecord,
): { readonly head: ResponseHead; readonly end: number } | null {
  const { block } = record
  if (isOfFile(record)) return { head: fileHead(record), end: 0 }
  const end = headEnd(block, 0, block.length)
  if (end < 0) return null
  const head = parseHead(asHttp1(block.latin1Slice(0, end)), LIMITS.headerCount)
  return 'code' in head ? null : { head, end }
}

/** Null when the record holds no page, or one that cannot be decoded. */
export async function responseOf(
  record: WarcRecord,
  maxBytes: number = LIMITS.bodyBytes,
): Promise<ArchivedResponse | null> {
  const found = archivedHead(record)
  if (!found) return null
  const { head, end } = found
  const payload = payloadOf(head, record.block.subarray(end))
  const decoded = await decoder.decode(payload, codingsOf(head), maxBytes)
  if (!decoded.ok) return null
  return {
    head,
    headBytes: record.block.subarray(0, end),
    payload,
    body: decoded.body.subarray(0, maxBytes),
  }
}

/** Our archives have no chunk framing; others may. */
export function payloadOf(head: ResponseHead, raw: Buffer): Buffer {
  if (!head.members('transfer-encoding').includes('chunked')) return raw
  const scanner = new ChunkScanner(LIMITS.chunkLineBytes, LIMITS.headerBytes)
  scanner.feed(raw, 0, raw.length)
  return scanner.at === 'bad' ? raw : dechunk(raw, scanner)
}

/** Browser-based archives name HTTP/2 and later in a head of the old form. */
function asHttp1(text: string): string {
  return /^HTTP\/[23]/.test(text) ? text.replace(/^HTTP\/[23](?:\.\d)?/, 'HTTP/1.1') : text
}

function fileHead({ type, headers }: WarcRecord): ResponseHead {
  const lines = [
    ['Content-Type', type === 'resource' ? headers.get('content-type') : undefined],
    ['ETag', headers.get('x-etag')],
    ['Last-Modified', headers.get('x-last-modified')],
  ].map(([name, value]) => (value === undefined ? '' : `${name}: ${value}\r\n`))
  const text = `HTTP/1.1 ${type === 'resource' ? 200 : 304} \r\n${lines.join('')}\r\n`
  return parseHead(text, LIMITS.headerCount) as ResponseHead
}
