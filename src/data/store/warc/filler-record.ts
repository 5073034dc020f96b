/**
 * Records that fill the place of damaged ones in a WARC, byte for byte, so that every sound record stays
 * where indexes and tables say it is. They are `metadata` records without a target: readers pass over them.
 */
import { xxh64 } from '../../../model/bytes/index.js'
import { ByteSink } from '../bytes/index.js'
import { sha1Digest } from './digest.js'
import { appendStored, GZIP_HEAD } from './record-compressor.js'

/** Magic number; a descriptor that promises one segment, a content size of four bytes and a checksum. */
const ZSTD_HEAD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa4])
/** Bytes of a member besides its content: heads, one stored block, checksums. */
const GZIP_BYTES = GZIP_HEAD.length + 5 + 8
const ZSTD_BYTES = ZSTD_HEAD.length + 4 + 3 + 4
/** The most content of one record: in both formats it fits one stored block. */
const CONTENT_BYTES_MAX = 60_000
const LENGTH_DIGITS = 5
const END = '\r\n\r\n'
const NOTE = 'A damaged record stood here. orbweaver repair replaced it.'

export interface Filler {
  readonly codec: 'gzip' | 'zstd'
  /** As in `WARC-Date`. */
  readonly date: string
  readonly newId: () => string
}

/** The shortest range that can be filled; every record that the crawler writes is longer. */
export function fillerBytesMin(filler: Filler): number {
  return overheadOf(filler) + head(filler, Buffer.alloc(0)).length + END.length
}

/** Members with a total of `bytes` bytes. */
export function fillerRecords(bytes: number, filler: Filler): Buffer {
  const members: Buffer[] = []
  const count = Math.max(1, Math.ceil(bytes / (CONTENT_BYTES_MAX + overheadOf(filler))))
  for (let left = count, rest = bytes; left > 0; left--) {
    const size = Math.ceil(rest / left)
    members.push(member(size, filler))
    rest -= size
  }
  return Buffer.concat(members)
}

function overheadOf({ codec }: Filler): number {
  return codec === 'gzip' ? GZIP_BYTES : ZSTD_BYTES
}

function member(bytes: number, filler: Filler): Buffer {
  const blockBytes = bytes - fillerBytesMin(filler)
  if (blockBytes < 0) throw new RangeError(`${bytes} bytes are too few for a record`)
  const block = Buffer.from(NOTE.slice(0, blockBytes).padEnd(blockBytes))
  const content = Buffer.concat([head(filler, block), block, Buffer.from(END)])
  return filler.codec === 'gzip' ? stored(content) : rawFrame(content)
}

/** Always of the same length. */
function head({ date, newId }: Filler, block: Buffer): Buffer {
  const lines = [
    'WARC/1.1',
    'WARC-Type: metadata',
    `WARC-Record-ID: <urn:uuid:${newId()}>`,
    `WARC-Date: ${date}`,
    'Content-Type: text/plain',
    `WARC-Block-Digest: ${sha1Digest(block)}`,
    `Content-Length: ${String(block.length).padStart(LENGTH_DIGITS, '0')}`,
  ]
  return Buffer.from(lines.join('\r\n') + END)
}

function stored(content: Buffer): Buffer {
  const sink = new ByteSink(content.length + GZIP_BYTES)
  appendStored(sink, content)
  return sink.view()
}

/** RFC 8878: one raw block, the last. */
function rawFrame(content: Buffer): Buffer {
  const sizes = Buffer.alloc(7)
  sizes.writeUInt32LE(content.length, 0)
  sizes.writeUIntLE((content.length << 3) | 1, 4, 3)
  const sum = Buffer.alloc(4)
  sum.writeUInt32LE(xxh64(content))
  return Buffer.concat([ZSTD_HEAD, sizes, content, sum])
}
