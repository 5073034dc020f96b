/**
 * One WARC record in, one self-contained gzip member or zstd frame out, appended to the pack. A reader can start at
 * any record. Gzip goes through one deflate handle that is reset between records: a fifth cheaper than gzipSync.
 */
import { constants, crc32, createGzip, gzipSync } from 'node:zlib'
import { type ArchiveFormat, nativeZstd } from './archive-format.js'
import type { ByteSink } from './byte-sink.js'

export interface RecordCompressor {
  /** Of a WARC file written with it. */
  readonly extension: string
  /** Appends `record`; `incompressible` says that squeezing it would only cost time. */
  append(sink: ByteSink, record: Buffer, incompressible: boolean): void
}

// At level 1 the user asked for speed: a request of 450 bytes costs 14 us to deflate and shrinks by 150 bytes.
const STORE_BELOW_BYTES = 1_024

export function recordCompressor(format: Exclude<ArchiveFormat, { codec: 'none' }>): RecordCompressor {
  if (format.codec === 'zstd') return zstdCompressor(format.level)
  const deflate = reusedGzip(format.level) ?? freshGzip(format.level)
  const storeBelow = format.level === 1 ? STORE_BELOW_BYTES : 0
  return {
    extension: '.warc.gz',
    append(sink, record, incompressible) {
      if (incompressible || record.length < storeBelow) appendStored(sink, record)
      else deflate(sink, record)
    },
  }
}

export type Deflate = (sink: ByteSink, record: Buffer) => void

/** The part of a zlib stream's native handle that is used here; private to Node, hence looked at before use. */
interface GzipHandle {
  reset(): void
  writeSync(
    flush: number,
    input: Buffer,
    inputStart: number,
    inputBytes: number,
    output: Buffer,
    outputStart: number,
    outputBytes: number,
  ): void
}

interface GzipInternals {
  readonly _handle?: Partial<GzipHandle>
  /** [room left in the output, input left], set by each write. */
  readonly _writeState?: Uint32Array
}

/** Undefined where this Node's insides look different; then every record gets a fresh stream. */
export function reusedGzip(level: number): Deflate | undefined {
  const { _handle: handle, _writeState: state } = createGzip({
    level,
    memLevel: 9,
  }) as unknown as GzipInternals
  if (!handle || typeof handle.reset !== 'function' || typeof handle.writeSync !== 'function')
    return undefined
  if (!(state instanceof Uint32Array) || state.length !== 2) return undefined
  const usable = handle as GzipHandle
  return (sink, record) => {
    usable.reset()
    // The most deflate can add, by zlib's own cautious bound; so one write always takes it all.
    const room = record.length + (record.length >> 3) + (record.length >> 6) + 64
    const output = sink.reserve(room)
    usable.writeSync(constants.Z_FINISH, record, 0, record.length, output, sink.length, room)
    if (state[1] !== 0 || state[0] === 0) throw new Error('gzip did not take a whole record')
    sink.advance(room - state[0])
  }
}

export function freshGzip(level: number): Deflate {
  return (sink, record) => sink.append(gzipSync(record, { level }))
}

const STORED_BLOCK_BYTES = 65_535
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255])

/** A gzip member whose deflate blocks are plain copies. */
function appendStored(sink: ByteSink, record: Buffer): void {
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

// Names of the zstd library (ZSTD_c_compressionLevel, ZSTD_c_checksumFlag); Node 20's types do not know them.
const ZSTD_LEVEL_PARAMETER = 100
const ZSTD_CHECKSUM_PARAMETER = 201

function zstdCompressor(level: number): RecordCompressor {
  const zstd = nativeZstd()
  if (!zstd) throw new Error('zstd was chosen though this Node has none: parseArchiveFormat refuses it')
  const options = { params: { [ZSTD_LEVEL_PARAMETER]: level, [ZSTD_CHECKSUM_PARAMETER]: 1 } }
  return {
    extension: '.warc.zst',
    append: (sink, record) => sink.append(zstd.zstdCompressSync(record, options)),
  }
}
