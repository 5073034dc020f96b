/**
 * One WARC record in, one self-contained gzip member or zstd frame out, appended to the pack. A reader can
 * start at any record. Level 1 is our own deflate, higher levels are zlib's.
 */

import { crc32, gzipSync } from 'node:zlib'
import { loadedZstd } from '../../../model/bytes/index.js'
import { STORE_BELOW_BYTES } from '../../limits.js'
import type { ByteSink } from '../bytes/index.js'
import { FastDeflate } from '../compress/deflate/index.js'
import type { ArchiveFormat } from './archive-format.js'

export interface RecordCompressor {
  /** Extension of WARC files written with it. */
  readonly extension: string
  /** Appends `record`; `incompressible` says that compression would not make it smaller. */
  append(sink: ByteSink, record: Buffer, incompressible: boolean): void
}

export function recordCompressor(format: Exclude<ArchiveFormat, { codec: 'none' }>): RecordCompressor {
  if (format.codec === 'zstd') return zstdCompressor(format.level)
  const gzip = format.level === 1 ? fastGzip() : zlibGzip(format.level)
  const storeBelow = format.level === 1 ? STORE_BELOW_BYTES : 0
  return {
    extension: '.warc.gz',
    append(sink, record, incompressible) {
      if (incompressible || record.length < storeBelow || !gzip(sink, record)) appendStored(sink, record)
    },
  }
}

/** Appends a gzip member; returns false, without appending, if compression would not help. */
type Gzip = (sink: ByteSink, record: Buffer) => boolean

function fastGzip(): Gzip {
  const fast = new FastDeflate()
  return (sink, record) => {
    if (record.length > fast.maxBytes) return zlibGzip(1)(sink, record)
    const deflated = fast.deflate(record)
    if (deflated.length >= record.length) return false
    sink.append(GZIP_HEAD)
    sink.append(deflated)
    sink.uint32(crc32(record))
    sink.uint32(record.length)
    return true
  }
}

function zlibGzip(level: number): Gzip {
  return (sink, record) => {
    sink.append(gzipSync(record, { level }))
    return true
  }
}

const STORED_BLOCK_BYTES = 65_535
export const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255])

/** A gzip member whose deflate blocks are plain copies. */
export function appendStored(sink: ByteSink, record: Buffer): void {
  const blocks = Math.max(1, Math.ceil(record.length / STORED_BLOCK_BYTES))
  const bytes = sink.reserve(GZIP_HEAD.length + blocks * 5 + record.length + 8)
  const start = sink.length
  let at = start + GZIP_HEAD.copy(bytes, start)
  for (let block = 0; block < blocks; block++) {
    const from = block * STORED_BLOCK_BYTES
    const size = Math.min(STORED_BLOCK_BYTES, record.length - from)
    bytes[at] = block === blocks - 1 ? 1 : 0
    bytes.writeUInt16LE(size, at + 1)
    bytes.writeUInt16LE(size ^ 0xffff, at + 3)
    at += 5 + record.copy(bytes, at + 5, from, from + size)
  }
  bytes.writeUInt32LE(crc32(record), at)
  bytes.writeUInt32LE(record.length, at + 4)
  sink.advance(at + 8 - start)
}

/** Call this after `loadZstd` has resolved. */
function zstdCompressor(level: number): RecordCompressor {
  const zstd = loadedZstd()
  if (!zstd) throw new Error('zstd has to be loaded before it is used')
  return {
    extension: '.warc.zst',
    append: (sink, record) => sink.append(zstd.compress(record, level)),
  }
}
