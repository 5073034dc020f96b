/** The exchanges in a WARC: a response and the facts of its metadata record. */

import type { Exchange, OutcomeCode, Truncation } from '../model/index.js'
import {
  type ArchivedResponse,
  archivedHead,
  holdsPage,
  isOfFile,
  responseOf,
  type SoundRecord,
  type WarcRecord,
} from '../page/source/warc/index.js'
import type { ScanStep } from './scan-warc.js'

export interface ArchivedExchange extends SoundRecord {
  readonly url: string
  /** Null if the metadata record is damaged. */
  readonly visit: ArchivedVisit | null
}

/** The facts of a metadata record. */
interface ArchivedVisit {
  readonly outcome: OutcomeCode
  readonly depth: number
  readonly hops: number
  readonly via: string
  readonly fetchMs: number
}

/** Pairs each response with the metadata that follows it; skips damage and other records. */
export async function* exchangesOf(steps: AsyncIterable<ScanStep>): AsyncGenerator<ArchivedExchange> {
  let response: SoundRecord | null = null
  for await (const step of steps) {
    const isOther = !step.ok || holdsPage(step.record)
    if (isOther && response !== null) yield archived(response, null)
    if (isOther) response = step.ok ? step : null
    else if (response !== null && step.ok && belongsTo(step.record, response.record)) {
      yield archived(response, visitOf(step.record))
      response = null
    }
  }
  if (response !== null) yield archived(response, null)
}

function archived(found: SoundRecord, visit: ArchivedVisit | null): ArchivedExchange {
  const { offset, length, record } = found
  return { ok: true, offset, length, record, url: record.headers.get('warc-target-uri') ?? '', visit }
}

function belongsTo({ type, headers }: WarcRecord, response: WarcRecord): boolean {
  return type === 'metadata' && headers.get('warc-concurrent-to') === response.headers.get('warc-record-id')
}

function visitOf({ block }: WarcRecord): ArchivedVisit | null {
  const fields = new Map<string, string>()
  for (const line of block.toString('utf8').split('\r\n')) {
    const colon = line.indexOf(': ')
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2))
  }
  const outcome = fields.get('outcome')
  if (outcome === undefined) return null
  return {
    outcome: outcome as OutcomeCode,
    depth: Number(fields.get('hopsFromSeed') ?? 0),
    hops: Number(fields.get('redirectHops') ?? 0),
    via: fields.get('via') ?? '',
    fetchMs: Number(fields.get('fetchTimeMs') ?? 0),
  }
}

const NOTHING = Buffer.alloc(0)

/** The exchange as the fetcher returned it; null if the record has no response. */
export async function exchangeOf(archived: ArchivedExchange, maxBody: number): Promise<Exchange | null> {
  const { record, url, visit } = archived
  const response = await decoded(record, maxBody)
  if (response === null) return null
  const { head, headBytes, payload, body } = response
  const truncated = record.headers.get('warc-truncated') as Truncation | undefined
  return {
    url,
    startedAt: Date.parse(record.headers.get('warc-date') ?? ''),
    fetchMs: visit?.fetchMs ?? 0,
    connectMs: 0,
    remoteAddress: record.headers.get('warc-ip-address') ?? '',
    requestHead: NOTHING,
    status: head.status,
    responseHead: headBytes,
    rawBody: payload,
    payload,
    body,
    ...(truncated === undefined ? {} : { truncated }),
    ...(isOfFile(record) ? { medium: 'file' as const } : {}),
    header: name => head.header(name),
    headerValues: name => head.values(name),
  }
}

/** If the body cannot be decoded, the head alone: it is enough for a row. */
async function decoded(record: WarcRecord, maxBody: number): Promise<ArchivedResponse | null> {
  const whole = await responseOf(record, maxBody)
  if (whole !== null) return whole
  const found = archivedHead(record)
  return found && responseOf({ ...record, block: record.block.subarray(0, found.end) }, maxBody)
}
