/** WARC files written byte by byte, as other crawlers write them, right or wrong. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'

export interface MadeRecord {
  readonly type: string
  readonly url: string
  readonly block: string | Buffer
  readonly date?: string
  readonly version?: string
  /** Other fields; they replace those that every record has. */
  readonly fields?: Readonly<Record<string, string>>
}

let count = 0

/** One record, not compressed. */
export function plainRecord({ type, url, block, date, version = '1.0', fields = {} }: MadeRecord): Buffer {
  const bytes = Buffer.isBuffer(block) ? block : Buffer.from(block)
  const all: Record<string, string> = {
    'WARC-Type': type,
    'WARC-Record-ID': `<urn:uuid:00000000-0000-4000-8000-${String(++count).padStart(12, '0')}>`,
    'WARC-Date': date ?? '2020-01-01T00:00:00Z',
    'WARC-Target-URI': url,
    'Content-Type': type === 'resource' ? 'text/html' : 'application/http; msgtype=response',
    'Content-Length': String(bytes.length),
    ...fields,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([
    Buffer.from(`WARC/${version}\r\n${lines.join('')}\r\n`),
    bytes,
    Buffer.from('\r\n\r\n'),
  ])
}

export const gzipRecord = (record: MadeRecord): Buffer => gzipSync(plainRecord(record))

export function page(
  url: string,
  body: string | Buffer,
  more: Partial<MadeRecord> & { head?: string } = {},
): MadeRecord {
  const { head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html', ...rest } = more
  const block = Buffer.concat([
    Buffer.from(`${head}\r\n\r\n`),
    Buffer.isBuffer(body) ? body : Buffer.from(body),
  ])
  const digest = { 'WARC-Payload-Digest': digestOf(body) }
  return { type: 'response', url, block, ...rest, fields: { ...digest, ...rest.fields } }
}

/** Hexadecimal, as some crawlers write it. */
export function digestOf(body: string | Buffer): string {
  return `sha1:${createHash('sha1').update(body).digest('hex')}`
}
