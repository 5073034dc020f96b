/**
 * An exchange in, WARC 1.1 records out: `response` (or `revisit`), the `request` and the `metadata` that belong to
 * it, each compressed on its own. Digests are over exactly the bytes stored, so they verify by the standard's
 * notion of a payload and by warcio's; `http-head.ts` says what that takes.
 */
import type { Exchange, PageRow } from '../model/page.js'
import { type Random, uuid } from '../model/random.js'
import type { ArchiveFormat } from './archive-format.js'
import { ByteSink } from './byte-sink.js'
import { sha1Digest } from './digest.js'
import { archivedHead } from './http-head.js'
import { type RecordCompressor, recordCompressor } from './record-compressor.js'
import { warcDate } from './utc-text.js'

/** Says that the body is already in an archive, so that only the head is stored. */
export interface Revisit {
  /** `server-not-modified` after a 304, `identical-payload-digest` when the same payload came again. */
  readonly profile: 'server-not-modified' | 'identical-payload-digest'
  readonly refersToUrl: string
  /** WARC-Date of the record referred to; left out when unknown. */
  readonly refersToDate: string
  /** Payload digest of the record referred to. */
  readonly digest: string
}

/** Where the response (or revisit) record lies in the sink, and what an index says of it. */
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
const END = Buffer.from('\r\n\r\n')

export class WarcRecords {
  readonly #random: Random
  readonly #compressor: RecordCompressor
  /** One record is put together here before it is compressed: room for its header, then its block. */
  readonly #scratch = new ByteSink(64 * 1024)

  constructor(random: Random, compressor: RecordCompressor) {
    this.#random = random
    this.#compressor = compressor
  }

  get extension(): string {
    return this.#compressor.extension
  }

  /** Appends the three records of an exchange. `facts.digest` is trusted as the payload's digest where it is given. */
  appendExchange(sink: ByteSink, exchange: Exchange, facts: PageFacts, revisit?: Revisit): ArchivedRecord {
    const id = `<urn:uuid:${uuid(this.#random)}>`
    const about =
      `WARC-Date: ${warcDate(exchange.startedAt)}\r\n` +
      `WARC-Target-URI: ${exchange.url}\r\n` +
      (exchange.remoteAddress === '' ? '' : `WARC-IP-Address: ${exchange.remoteAddress}\r\n`)
    const digest = revisit?.digest ?? (facts.digest || sha1Digest(exchange.payload))
    const offset = sink.length
    const payloadType =
      facts.mimeDetected === '' ? '' : `WARC-Identified-Payload-Type: ${oneLine(facts.mimeDetected)}\r\n`
    const response =
      about +
      (digest === '' ? '' : `WARC-Payload-Digest: ${digest}\r\n`) +
      (exchange.truncated === undefined ? '' : `WARC-Truncated: ${exchange.truncated}\r\n`) +
      (revisit ? revisitFields(revisit) : payloadType) +
      'Content-Type: application/http; msgtype=response\r\n'
    const head = archivedHead(exchange)
    if (revisit) this.#append(sink, 'revisit', id, response, head)
    else this.#append(sink, 'response', id, response, head, exchange.payload, isCompressed(exchange))
    const length = sink.length - offset
    const beside = `${about}WARC-Concurrent-To: ${id}\r\n`
    const request = `${beside}Content-Type: application/http; msgtype=request\r\n`
    this.#append(sink, 'request', this.#newId(), request, exchange.requestHead)
    const metadata = `${beside}Content-Type: application/warc-fields\r\n`
    this.#append(sink, 'metadata', this.#newId(), metadata, Buffer.from(metadataFields(exchange, facts)))
    return { offset, length, digest }
  }

  /** The first record of a file. */
  appendInfo(
    sink: ByteSink,
    filename: string,
    writtenAt: number,
    fields: Readonly<Record<string, string>>,
  ): void {
    const header =
      `WARC-Date: ${warcDate(writtenAt)}\r\nWARC-Filename: ${oneLine(filename)}\r\n` +
      'Content-Type: application/warc-fields\r\n'
    const lines = Object.entries(fields).map(([name, value]) => `${oneLine(name)}: ${oneLine(value)}\r\n`)
    this.#append(sink, 'warcinfo', this.#newId(), header, Buffer.from(lines.join('')))
  }

  #newId(): string {
    return `<urn:uuid:${uuid(this.#random)}>`
  }

  /** The block goes first, behind room for its header, because the header holds the block's digest. */
  #append(
    sink: ByteSink,
    type: string,
    id: string,
    fields: string,
    head: Buffer,
    payload?: Buffer,
    incompressible = false,
  ): void {
    const room = 512 + fields.length * 3
    const scratch = this.#scratch
    scratch.clear()
    scratch.reserve(room + head.length + (payload?.length ?? 0) + END.length)
    scratch.advance(room)
    scratch.append(head)
    if (payload) scratch.append(payload)
    const block = scratch.view(room)
    scratch.append(END)
    const header =
      `WARC/1.1\r\nWARC-Type: ${type}\r\nWARC-Record-ID: ${id}\r\n${fields}` +
      `WARC-Block-Digest: ${sha1Digest(block)}\r\nContent-Length: ${block.length}\r\n\r\n`
    const start = room - Buffer.byteLength(header)
    scratch.view().write(header, start, 'utf8')
    this.#compressor.append(sink, scratch.view(start), incompressible)
  }
}

/** The records of one agent; null when nothing is to be archived. Packs share it: it holds the compressor. */
export function warcRecords(format: ArchiveFormat, random: Random): WarcRecords | null {
  return format.codec === 'none' ? null : new WarcRecords(random, recordCompressor(format))
}

function revisitFields(revisit: Revisit): string {
  return (
    `WARC-Profile: ${PROFILES}${revisit.profile}\r\n` +
    `WARC-Refers-To-Target-URI: ${revisit.refersToUrl}\r\n` +
    (revisit.refersToDate === '' ? '' : `WARC-Refers-To-Date: ${oneLine(revisit.refersToDate)}\r\n`)
  )
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

/** What a server said must not start a field of its own. */
function oneLine(value: string): string {
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i)
    if (unit < 32 || unit === 127) return value.replaceAll(/\p{Cc}+/gu, ' ')
  }
  return value
}

const COMPRESSED_TYPE =
  /^(image\/(?!svg|bmp|x-ms-bmp|tiff)|video\/|audio\/(?!wav|x-wav|midi)|font\/woff|application\/(zip|gzip|x-gzip|x-7z|x-xz|x-bzip|pdf|vnd\.openxml|epub|java-archive|zstd))/i

/** True when the payload is squeezed already: a second time costs 10 us per KB and gains nothing. */
function isCompressed(exchange: Exchange): boolean {
  const encoding = exchange.header('content-encoding')
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') return true
  const type = exchange.header('content-type')
  return type !== undefined && COMPRESSED_TYPE.test(type)
}
