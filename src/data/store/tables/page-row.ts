/**
 * A page row in bytes, little endian. A fixed part of 132 bytes, then the texts, concatenated, in UTF-8:
 *
 *     0 uint32 size of the row
 *     4 uint32 WARC offset in the pack
 *     8 uint32 WARC length
 *    12 int32 status, depth, hops, lane
 *    28 uint16 attempt, uint8 kept (its place in `KEPT`), uint8 unused
 *    32 int32 outlinks, outlinksForeign
 *    40 float64 fetchedAt
 *    48 float64 fetchMs
 *    56 float64 bodyBytes
 *    64 uint32 length of each of the sixteen texts, in the order of `PageText`
 *   128 uint32 length of the page's text, which stands in a block (`text-blocks.ts`)
 *   132 the sixteen texts
 *
 * The WARC offset has a place of its own so that a pack can be rewritten without some of its cells.
 */
import { KEPT, type Kept, type PageRow } from '../../../model/index.js'
import type { ByteSink } from '../bytes/index.js'

const FIXED_BYTES = 132
const LENGTHS_AT = 64
const NOT_ARCHIVED = 0xffff_ffff

/** Places of the texts. */
export const PageText = {
  url: 0,
  outcome: 1,
  via: 2,
  digest: 3,
  mime: 4,
  mimeDetected: 5,
  charset: 6,
  languages: 7,
  truncated: 8,
  title: 9,
  description: 10,
  canonical: 11,
  redirect: 12,
  etag: 13,
  lastModified: 14,
  refersToDate: 15,
} as const

const TEXTS = 16

/** Places of the 32-bit numbers. */
export const PageInt = {
  status: 12,
  depth: 16,
  hops: 20,
  lane: 24,
  outlinks: 32,
  outlinksForeign: 36,
  textBytes: 128,
} as const

const ATTEMPT_AT = 28
const KEPT_AT = 30

/** Places of the 64-bit numbers. */
export const PageNumber = { fetchedAt: 40, fetchMs: 48, bodyBytes: 56 } as const

/**
 * Appends `row`; its text is in a block, so only the length is written. The place of the record is a
 * parameter of its own because it is known last (offset -1: not archived).
 */
export function appendPageRow(
  sink: ByteSink,
  row: PageRow,
  textBytes: number,
  warcOffset = row.warcOffset,
  warcLength = row.warcLength,
): void {
  const start = sink.length
  sink.reserve(FIXED_BYTES)
  sink.advance(FIXED_BYTES)
  const lengths = [
    sink.text(row.url),
    sink.text(row.outcome),
    sink.text(row.via),
    sink.text(row.digest),
    sink.text(row.mime),
    sink.text(row.mimeDetected),
    sink.text(row.charset),
    sink.text(row.languages),
    sink.text(row.truncated),
    sink.text(row.title),
    sink.text(row.description),
    sink.text(row.canonical),
    sink.text(row.redirect),
    sink.text(row.etag),
    sink.text(row.lastModified),
    sink.text(row.refersToDate),
  ]
  const bytes = sink.reserve(0)
  bytes.writeUInt32LE(sink.length - start, start)
  bytes.writeUInt32LE(warcOffset < 0 ? NOT_ARCHIVED : warcOffset, start + 4)
  bytes.writeUInt32LE(warcOffset < 0 ? 0 : warcLength, start + 8)
  bytes.writeInt32LE(row.status, start + PageInt.status)
  bytes.writeInt32LE(row.depth, start + PageInt.depth)
  bytes.writeInt32LE(row.hops, start + PageInt.hops)
  bytes.writeInt32LE(row.lane, start + PageInt.lane)
  bytes.writeUInt32LE(row.attempt & 0xffff, start + ATTEMPT_AT)
  bytes[start + KEPT_AT] = KEPT.indexOf(row.kept)
  bytes.writeInt32LE(row.outlinks, start + PageInt.outlinks)
  bytes.writeInt32LE(row.outlinksForeign, start + PageInt.outlinksForeign)
  bytes.writeDoubleLE(row.fetchedAt, start + PageNumber.fetchedAt)
  bytes.writeDoubleLE(row.fetchMs, start + PageNumber.fetchMs)
  bytes.writeDoubleLE(row.bodyBytes, start + PageNumber.bodyBytes)
  for (let i = 0; i < TEXTS; i++) bytes.writeUInt32LE(lengths[i], start + LENGTHS_AT + 4 * i)
  bytes.writeUInt32LE(textBytes, start + PageInt.textBytes)
}

/** Adds `shift` to the record offset of the row at `at`. */
export function shiftPageRow(rows: Buffer, at: number, shift: number): void {
  const offset = rows.readUInt32LE(at + 4)
  if (offset !== NOT_ARCHIVED) rows.writeUInt32LE(offset + shift, at + 4)
}

/** Reads encoded rows one after the other, without an object for each. */
export class PageRowView {
  bytes: Buffer = Buffer.alloc(0)
  #at = 0
  readonly #starts = new Uint32Array(TEXTS + 1)

  /** Moves to the row at `at`; returns its size. The caller has checked the segment's checksum. */
  moveTo(bytes: Buffer, at: number): number {
    this.bytes = bytes
    this.#at = at
    let start = at + FIXED_BYTES
    for (let i = 0; i < TEXTS; i++) {
      this.#starts[i] = start
      start += bytes.readUInt32LE(at + LENGTHS_AT + 4 * i)
    }
    this.#starts[TEXTS] = start
    return bytes.readUInt32LE(at)
  }

  /** -1 where nothing was archived. */
  get warcOffset(): number {
    const offset = this.bytes.readUInt32LE(this.#at + 4)
    return offset === NOT_ARCHIVED ? -1 : offset
  }

  get warcLength(): number {
    return this.bytes.readUInt32LE(this.#at + 8)
  }

  get attempt(): number {
    return this.bytes.readUInt16LE(this.#at + ATTEMPT_AT)
  }

  get kept(): Kept {
    return KEPT[this.bytes[this.#at + KEPT_AT]] ?? ''
  }

  int(place: number): number {
    return this.bytes.readInt32LE(this.#at + place)
  }

  number(place: number): number {
    return this.bytes.readDoubleLE(this.#at + place)
  }

  /** Offset of a text; `text + 1` gives its end. */
  textStart(text: number): number {
    return this.#starts[text]
  }

  string(text: number): string {
    return this.bytes.toString('utf8', this.#starts[text], this.#starts[text + 1])
  }
}
