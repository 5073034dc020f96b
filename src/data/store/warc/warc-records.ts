/**
 * An exchange in, WARC 1.1 records out: `response` (or `revisit`), the `request` and the `metadata` that
 * belong to it, each compressed on its own. Digests cover exactly the stored bytes, so both the standard's
 * definition of a payload and warcio's verify them (`http-head.ts`).
 */
import type { Exchange, PageRow, Random } from '../../../model/index.js'
import { ByteSink, warcDate } from '../bytes/index.js'
import type { ArchiveFormat } from './archive-format.js'
import { sha1Digest } from './digest.js'
import { archivedHead } from './http-head.js'
import { type RecordCompressor, recordCompressor } from './record-compressor.js'
import { RecordDraft } from './record-draft.js'

/** Refers to a stored record with the same body, so that only the head is stored. */
export interface Revisit {
  /** `server-not-modified` after a 304, `identical-payload-digest` when the same payload came again. */
  readonly profile: 'server-not-modified' | 'identical-payload-digest'
  readonly refersToUrl: string
  /** WARC-Date of the record referred to; left out when unknown. */
  readonly refersToDate: string
  /** Payload digest of the record referred to. */
  readonly digest: string
}

/** Place of the response (or revisit) record in the sink, and its digest for the index. */
export interface ArchivedRecord {
  readonly offset: number
  readonly length: number
  readonly digest: string
}

export type PageFacts = Pick<
  PageRow,
  'outcome' | 'via' | 'depth' | 'hops' | 'charset' | 'languages' | 'mimeDetected' | 'digest'
>

const PROFILES = 'http://netpreserve.org/warc/1.1/revisit/'
const Field = {
  date: Buffer.from('WARC-Date: '),
  target: Buffer.from('\r\nWARC-Target-URI: '),
  address: Buffer.from('WARC-IP-Address: '),
  concurrentTo: Buffer.from('WARC-Concurrent-To: <urn:uuid:'),
  filename: Buffer.from('WARC-Filename: '),
  payloadDigest: Buffer.from('WARC-Payload-Digest: '),
  payloadType: Buffer.from('WARC-Identified-Payload-Type: '),
  truncated: Buffer.from('WARC-Truncated: '),
  profile: Buffer.from('WARC-Profile: '),
  refersToTarget: Buffer.from('WARC-Refers-To-Target-URI: '),
  refersToDate: Buffer.from('WARC-Refers-To-Date: '),
} as const
const LINE_END = Buffer.from('\r\n')
const RESPONSE = Buffer.from('Content-Type: application/http; msgtype=response\r\n')
const REQUEST = Buffer.from('Content-Type: application/http; msgtype=request\r\n')
const FIELDS = Buffer.from('Content-Type: application/warc-fields\r\n')

export class WarcRecords {
  readonly #random: Random
  readonly #compressor: RecordCompressor
  readonly #draft = new RecordDraft()
  /** Header fields shared by the records of an exchange. */
  readonly #common = new ByteSink()
  readonly #metadata = new ByteSink()

  constructor(random: Random, compressor: RecordCompressor) {
    this.#random = random
    this.#compressor = compressor
  }

  get extension(): string {
    return this.#compressor.extension
  }

  /** Appends the records of an exchange. `facts.digest`, if given, is taken as the payload's digest. */
  appendExchange(sink: ByteSink, exchange: Exchange, facts: PageFacts, revisit?: Revisit): ArchivedRecord {
    const draft = this.#draft
    const common = this.#common
    const offset = sink.length
    const digest = revisit?.digest ?? (facts.digest || sha1Digest(exchange.payload))
    this.#takeCommon(exchange)
    this.#appendResponse(sink, exchange, facts.mimeDetected, digest, revisit)
    const length = sink.length - offset
    common.append(Field.concurrentTo)
    draft.appendId(common)
    // A host that has read the page at its source does not tell what it asked.
    if (exchange.requestHead.length > 0) {
      draft.begin('request', this.#random)
      draft.fields(common.view())
      draft.fields(REQUEST)
      this.#compressor.append(sink, draft.end(exchange.requestHead), false)
    }
    draft.begin('metadata', this.#random)
    draft.fields(common.view())
    draft.fields(FIELDS)
    this.#metadata.clear()
    this.#metadata.text(metadataFields(exchange, facts))
    this.#compressor.append(sink, draft.end(this.#metadata.view()), false)
    return { offset, length, digest }
  }

  /** The first record of a file. */
  appendInfo(
    sink: ByteSink,
    filename: string,
    writtenAt: number,
    fields: Readonly<Record<string, string>>,
  ): void {
    const draft = this.#draft
    draft.begin('warcinfo', this.#random)
    draft.field(Field.date, warcDate(writtenAt))
    draft.field(Field.filename, oneLine(filename))
    draft.fields(FIELDS)
    const lines = Object.entries(fields).map(([name, value]) => `${oneLine(name)}: ${oneLine(value)}\r\n`)
    this.#compressor.append(sink, draft.end(Buffer.from(lines.join(''))), false)
  }

  #appendResponse(
    sink: ByteSink,
    exchange: Exchange,
    mimeDetected: string,
    digest: string,
    revisit: Revisit | undefined,
  ): void {
    const draft = this.#draft
    draft.begin(revisit ? 'revisit' : 'response', this.#random)
    draft.fields(this.#common.view())
    if (digest !== '') draft.field(Field.payloadDigest, digest)
    if (exchange.truncated !== undefined) draft.field(Field.truncated, exchange.truncated)
    if (revisit) {
      draft.field(Field.profile, PROFILES + revisit.profile)
      draft.field(Field.refersToTarget, revisit.refersToUrl)
      if (revisit.refersToDate !== '') draft.field(Field.refersToDate, oneLine(revisit.refersToDate))
    } else if (mimeDetected !== '') draft.field(Field.payloadType, oneLine(mimeDetected))
    draft.fields(RESPONSE)
    const head = archivedHead(exchange)
    if (revisit) this.#compressor.append(sink, draft.end(head), false)
    else this.#compressor.append(sink, draft.end(head, exchange.payload), isCompressed(exchange))
  }

  #takeCommon({ startedAt, url, remoteAddress }: Exchange): void {
    const common = this.#common
    common.clear()
    common.append(Field.date)
    common.ascii(warcDate(startedAt))
    common.append(Field.target)
    common.text(url)
    common.append(LINE_END)
    if (remoteAddress === '') return
    common.append(Field.address)
    common.text(remoteAddress)
    common.append(LINE_END)
  }
}

/**
 * The records of one agent; null when nothing is to be archived. All packs of the agent share the object,
 * because it holds the compressor.
 */
export function warcRecords(format: ArchiveFormat, random: Random): WarcRecords | null {
  return format.codec === 'none' ? null : new WarcRecords(random, recordCompressor(format))
}

function metadataFields(exchange: Exchange, facts: PageFacts): string {
  return (
    (facts.via === '' ? '' : `via: ${oneLine(facts.via)}\r\n`) +
    `hopsFromSeed: ${facts.depth}\r\n` +
    (facts.hops === 0 ? '' : `redirectHops: ${facts.hops}\r\n`) +
    `fetchTimeMs: ${Math.round(exchange.fetchMs)}\r\n` +
    `outcome: ${oneLine(facts.outcome)}\r\n` +
    (facts.charset === '' ? '' : `charset: ${oneLine(facts.charset)}\r\n`) +
    (facts.languages === '' ? '' : `languages: ${oneLine(facts.languages)}\r\n`)
  )
}

/** Text from a server must not start another field. */
function oneLine(value: string): string {
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i)
    if (unit < 32 || unit === 127) return value.replaceAll(/\p{Cc}+/gu, ' ')
  }
  return value
}

const COMPRESSED_TYPE =
  /^(image\/(?!svg|bmp|x-ms-bmp|tiff)|video\/|audio\/(?!wav|x-wav|midi)|font\/woff|application\/(zip|gzip|x-gzip|x-7z|x-xz|x-bzip|pdf|vnd\.openxml|epub|java-archive|zstd))/i

/**
 * True if the payload is already compressed: to compress it again would take 10 us per KB and save nothing.
 */
function isCompressed(exchange: Exchange): boolean {
  const encoding = exchange.header('content-encoding')
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') return true
  const type = exchange.header('content-type')
  return type !== undefined && COMPRESSED_TYPE.test(type)
}
