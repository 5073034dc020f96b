/**
 * Answers requests from an archive: the latest capture of the URL counts. A revisit is resolved to the
 * capture that it refers to; where that is not in the archive, the latest capture before it counts.
 */
import { type Clock, type FetchLimits, LIMITS, type Millis } from '../../../model/index.js'
import { normaliseUrl, pathStart } from '../../../model/url/index.js'
import { BodyBudget, ContentDecoder } from '../../fetch/body/index.js'
import { parseHead, type ResponseHead } from '../../fetch/http/index.js'
import type { FetchRequest, FetchResult } from '../../fetch/index.js'
import { CAPTURES_TRIED, RECORD_START_BYTES } from '../../limits.js'
import { BodyClaim, LocalExchange, type LocalReader, ReadPace } from '../local/index.js'
import { targetOf } from './build-index.js'
import { CaptureIndex, type CapturePlace } from './capture-index.js'
import { type ResultTools, resultOf } from './capture-result.js'
import { type RecordAnswer, RecordSource, type StoredRecord } from './record-source.js'

interface Reading {
  readonly request: FetchRequest
  readonly tools: ResultTools
  /** Bytes of a record that are read at most. */
  readonly maxBytes: number
}

const NOTHING = Buffer.alloc(0)

export class ArchiveReader implements LocalReader {
  readonly #clock: Clock
  readonly #limits: FetchLimits
  readonly #decoder = new ContentDecoder(LIMITS.stackedEncodings)
  readonly #pace: ReadPace
  readonly #indexPath: string
  #opened: { readonly index: CaptureIndex; readonly records: RecordSource } | null = null

  /** `indexPath`: made by `buildIndex`. */
  constructor(indexPath: string, clock: Clock, limits: FetchLimits) {
    this.#indexPath = indexPath
    this.#clock = clock
    this.#limits = limits
    this.#pace = new ReadPace(clock)
  }

  read(request: FetchRequest, startedAt: Millis, claim: BodyClaim): FetchResult | Promise<FetchResult> {
    const since = this.#clock.monotonic()
    const fetchMs = () => this.#clock.monotonic() - since
    const tools = { decoder: this.#decoder, limits: this.#limits, claim, fetchMs }
    const maxBytes = (request.bodyBytes ?? this.#limits.bodyBytes) + RECORD_BYTES
    const reading = { request, tools, maxBytes }
    try {
      const { index } = this.#files()
      const captures = index.capturesOf(request.url)
      if (captures.length === 0) return this.#missing(reading, startedAt)
      const [first] = captures
      const answer =
        first.kind === 'revisit' || !this.#pace.atOnce ? 'later' : this.#recordAtOnce(first, reading)
      if (answer === 'later') return this.#latest(captures, reading, startedAt)
      this.#pace.ended(since)
      if (!isOf(answer, request.url)) return this.#latest(captures, reading, startedAt)
      return resultOf({ record: answer, content: answer, at: first.at }, request, tools)
    } catch (error) {
      return failed(error)
    }
  }

  /** How long the latest capture of a URL took when it was made; 0 if its archive does not say. */
  recordedMs(url: string): Millis {
    const { index, records } = this.#files()
    const [latest] = index.capturesOf(url)
    if (latest === undefined) return 0
    const claim = new BodyClaim(new BodyBudget(Number.POSITIVE_INFINITY))
    const record = records.atOnce(latest, RECORD_BYTES, claim)
    if (record === 'later' || !('headers' in record)) return 0
    return records.fetchMsAfter(latest, record.headers.get('warc-record-id') ?? '')
  }

  close(): void {
    this.#opened?.records.close()
    this.#opened?.index.close()
    this.#opened = null
  }

  #recordAtOnce(place: CapturePlace, { maxBytes, tools }: Reading): RecordAnswer | 'later' {
    return this.#files().records.atOnce(place, maxBytes, tools.claim)
  }

  /** The result of the first capture that can be used, from the latest on. */
  async #latest(
    captures: readonly CapturePlace[],
    reading: Reading,
    startedAt: Millis,
  ): Promise<FetchResult> {
    let problem = ''
    let isHere = false
    try {
      for (const capture of captures.slice(0, CAPTURES_TRIED)) {
        const record = await this.#record(capture, reading)
        if ('detail' in record) problem ||= record.detail
        if (!isOf(record, reading.request.url)) continue
        isHere = true
        const content = capture.kind === 'revisit' ? await this.#original(record, capture, reading) : record
        if (content !== null)
          return await resultOf({ record, content, at: capture.at }, reading.request, reading.tools)
      }
    } catch (error) {
      return failed(error)
    }
    if (problem !== '') return { ok: false, code: 'SOURCE_FAILED', detail: problem }
    if (!isHere) return this.#missing(reading, startedAt)
    const detail = 'the archive has only a revisit record, which refers to a record that is not in it'
    return { ok: false, code: 'NOT_ARCHIVED', detail }
  }

  async #record(place: CapturePlace, { maxBytes, tools }: Reading): Promise<RecordAnswer> {
    return this.#files().records.later(place, maxBytes, tools.claim)
  }

  /** By URL and date, then by digest, then the capture of the same URL before it. */
  async #original(
    revisit: StoredRecord,
    place: CapturePlace,
    reading: Reading,
  ): Promise<StoredRecord | null> {
    const { headers } = revisit
    const digest = headers.get('warc-payload-digest') ?? ''
    const url = referredUrl(headers) ?? reading.request.url
    const at = Date.parse(headers.get('warc-refers-to-date') ?? '')
    const { index } = this.#files()
    const ofUrl = index.capturesOf(url).filter(({ kind }) => kind !== 'revisit')
    const candidates = [
      ...ofUrl.filter(capture => capture.at === at),
      ...(digest === '' ? [] : index.capturesWith(digest)),
      ...ofUrl.filter(capture => capture.at <= place.at),
    ]
    for (const candidate of candidates.slice(0, CAPTURES_TRIED)) {
      const record = await this.#record(candidate, reading)
      if ('detail' in record) continue
      const theirs = record.headers.get('warc-payload-digest') ?? ''
      const isSame = digest === '' || theirs === '' || theirs === digest
      if (isSame && record.type !== 'revisit') return record
    }
    return null
  }

  /** An archive without a robots.txt record: the site had none, as far as the archive knows. */
  #missing(reading: Reading, startedAt: Millis): FetchResult | Promise<FetchResult> {
    const { request, tools } = reading
    const { url } = request
    if (url.slice(pathStart(url)) === '/robots.txt') return without(404, '', request, startedAt, tools)
    if (url.endsWith('/') || url.includes('?')) return NOT_ARCHIVED
    const [folder] = this.#files().index.capturesOf(`${url}/`)
    return folder === undefined ? NOT_ARCHIVED : this.#folderRedirect(folder, reading, startedAt)
  }

  /** Files were archived without the redirect of a directory, which no file stands for. */
  async #folderRedirect(folder: CapturePlace, reading: Reading, startedAt: Millis): Promise<FetchResult> {
    const { request, tools } = reading
    const target = `${request.url}/`
    try {
      // The kind is not enough: an index beside the archive does not tell files from responses.
      const record = await this.#record(folder, { ...reading, maxBytes: RECORD_BYTES })
      if (isOf(record, target) && record.type === 'resource')
        return without(301, `Location: ${target}\r\n`, request, startedAt, tools)
    } catch (error) {
      return failed(error)
    }
    return NOT_ARCHIVED
  }

  #files(): { readonly index: CaptureIndex; readonly records: RecordSource } {
    if (this.#opened === null) {
      const index = CaptureIndex.open(this.#indexPath)
      this.#opened = { index, records: new RecordSource(index.files) }
    }
    return this.#opened
  }
}

const NOT_ARCHIVED: FetchResult = {
  ok: false,
  code: 'NOT_ARCHIVED',
  detail: 'the archive has no capture of it',
}

/** WARC header and response head. */
const RECORD_BYTES = RECORD_START_BYTES + LIMITS.headerBytes

function isOf(record: RecordAnswer, url: string): record is StoredRecord {
  return 'headers' in record && targetOf(record) === url
}

function referredUrl(headers: ReadonlyMap<string, string>): string | null {
  const url = headers.get('warc-refers-to-target-uri')
  return url === undefined ? null : normaliseUrl(url.replace(/^<(.*)>$/, '$1'))
}

function without(
  status: number,
  lines: string,
  { url }: FetchRequest,
  startedAt: Millis,
  { fetchMs, claim }: ResultTools,
): FetchResult {
  const head = parseHead(`HTTP/1.1 ${status} \r\n${lines}\r\n`, LIMITS.headerCount) as ResponseHead
  const parts = {
    head,
    responseHead: NOTHING,
    remoteAddress: '',
    truncated: undefined,
    medium: 'none' as const,
  }
  const bodies = { rawBody: NOTHING, payload: NOTHING, body: NOTHING }
  const read = { url, startedAt, fetchMs: fetchMs(), ...parts, ...bodies }
  return { ok: true, exchange: new LocalExchange(read, () => claim.leave()) }
}

function failed(error: unknown): FetchResult {
  return { ok: false, code: 'SOURCE_FAILED', detail: (error as Error).message }
}
