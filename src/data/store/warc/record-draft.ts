/** Assembles a WARC record in bytes: every page needs three. */
import { type Random, UUID_CHARS, writeUuid } from '../../../model/index.js'
import { ByteSink } from '../bytes/index.js'
import { DIGEST_CHARS, writeSha1 } from './digest.js'

export type RecordType =
  | 'warcinfo'
  | 'response'
  | 'resource'
  | 'revisit'
  | 'request'
  | 'metadata'
  | 'conversion'

/** What a record begins with, up to its id. */
const BEGINNINGS: Readonly<Record<RecordType, Buffer>> = {
  warcinfo: beginning('warcinfo'),
  response: beginning('response'),
  resource: beginning('resource'),
  revisit: beginning('revisit'),
  request: beginning('request'),
  metadata: beginning('metadata'),
  conversion: beginning('conversion'),
}
const ID_END = Buffer.from('>\r\n')
const LINE_END = Buffer.from('\r\n')
const DIGEST = Buffer.from('WARC-Block-Digest: sha1:')
const LENGTH = Buffer.from('\r\nContent-Length: ')
const BLANK_LINE = Buffer.from('\r\n\r\n')
const NONE = Buffer.alloc(0)

export class RecordDraft {
  readonly #bytes = new ByteSink(64 * 1024)
  readonly #id = Buffer.alloc(UUID_CHARS)

  begin(type: RecordType, random: Random): void {
    writeUuid(random, this.#id)
    this.#bytes.clear()
    this.#bytes.append(BEGINNINGS[type])
    this.#bytes.append(this.#id)
    this.#bytes.append(ID_END)
  }

  /** Ends a field in `sink` with the id of the record. */
  appendId(sink: ByteSink): void {
    sink.append(this.#id)
    sink.append(ID_END)
  }

  /** Adds complete header fields. */
  fields(lines: Buffer): void {
    this.#bytes.append(lines)
  }

  /** `name` ends in a colon and a space; `value` must be one line. */
  field(name: Buffer, value: string): void {
    this.#bytes.append(name)
    this.#bytes.text(value)
    this.#bytes.append(LINE_END)
  }

  /** Ends the header, adds the block, and returns the record. Valid until the next one begins. */
  end(head: Buffer, payload: Buffer = NONE): Buffer {
    const bytes = this.#bytes
    const blockBytes = head.length + payload.length
    bytes.append(DIGEST)
    const digestAt = bytes.length
    bytes.reserve(DIGEST_CHARS)
    bytes.advance(DIGEST_CHARS)
    bytes.append(LENGTH)
    bytes.ascii(String(blockBytes))
    bytes.append(BLANK_LINE)
    bytes.reserve(blockBytes + BLANK_LINE.length)
    const blockAt = bytes.length
    bytes.append(head)
    if (payload.length > 0) bytes.append(payload)
    writeSha1(bytes.view(blockAt), bytes.reserve(0), digestAt)
    bytes.append(BLANK_LINE)
    return bytes.view()
  }
}

function beginning(type: RecordType): Buffer {
  return Buffer.from(`WARC/1.1\r\nWARC-Type: ${type}\r\nWARC-Record-ID: <urn:uuid:`)
}
