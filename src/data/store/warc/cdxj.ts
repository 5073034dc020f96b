/**
 * CDXJ: one line per response or revisit record, for replay tools. A pack holds entries whose offset is
 * relative to the pack; they become lines when the store knows the file and the place in it.
 *
 * Entry: uint32 size (all of it), uint32 offset in the pack, uint32 length of the record, then the line up to
 * its `"offset"` value.
 */
import type { Exchange, PageRow } from '../../../model/index.js'
import { type ByteSink, timestamp } from '../bytes/index.js'
import { surt } from './surt.js'
import type { ArchivedRecord } from './warc-records.js'

const ENTRY_HEAD_BYTES = 12
const PLAIN = /^[\w:/.?&=%~+,;@!$'()*[\]-]*$/

export function appendCdxjEntry(
  sink: ByteSink,
  exchange: Exchange,
  row: Pick<PageRow, 'mime' | 'status'>,
  record: ArchivedRecord,
  isRevisit: boolean,
): void {
  const start = sink.length
  sink.reserve(ENTRY_HEAD_BYTES)
  sink.advance(ENTRY_HEAD_BYTES)
  const mime = isRevisit ? 'warc/revisit' : row.mime
  sink.text(
    `${surt(exchange.url)} ${timestamp(exchange.startedAt)} {"url":${quoted(exchange.url)},` +
      (mime === '' ? '' : `"mime":${quoted(mime)},`) +
      `"status":"${row.status}","digest":"${bareDigest(record.digest)}","length":"${record.length}","offset":"`,
  )
  const bytes = sink.view(start)
  bytes.writeUInt32LE(bytes.length, 0)
  bytes.writeUInt32LE(record.offset, 4)
  bytes.writeUInt32LE(record.length, 8)
}

/** `text` as a JSON string. Characters that need an escape are rare in URLs and media types. */
function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)
}

/** Adds `shift` to an entry's offset: its record has moved within the pack. */
export function shiftCdxjEntry(entries: Buffer, at: number, shift: number): void {
  entries.writeUInt32LE(entries.readUInt32LE(at + 4) + shift, at + 4)
}

/** The lines of a pack whose records begin at `baseOffset` of `filename`. */
export function appendCdxjLines(sink: ByteSink, entries: Buffer, filename: string, baseOffset: number): void {
  const tail = `","filename":${JSON.stringify(filename)}}\n`
  for (let at = 0; at < entries.length; ) {
    const size = entries.readUInt32LE(at)
    sink.append(entries.subarray(at + ENTRY_HEAD_BYTES, at + size))
    sink.text(`${baseOffset + entries.readUInt32LE(at + 4)}${tail}`)
    at += size
  }
}

/** What a line of an index says of its record; nothing if it is damaged. */
export function indexEntryOf(line: string): { readonly [K in 'url' | 'offset' | 'length']?: unknown } {
  try {
    return JSON.parse(line.slice(line.indexOf(' {') + 1))
  } catch {
    return {}
  }
}

function bareDigest(digest: string): string {
  return digest.startsWith('sha1:') ? digest.slice(5) : digest
}
