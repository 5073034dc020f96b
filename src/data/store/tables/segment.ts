/**
 * Row logs: append-only files of segments. A pack adds one or more; each says which pack, agent and WARC its
 * rows belong to, so that rows can hold places relative to the pack, and carries a checksum over all of
 * itself.
 *
 *   0 'OWS' and the version
 *   4 uint32 crc32 from 8 on
 *   8 uint32 header bytes
 *  12 uint32 row bytes
 *  16 uint32 table
 *  20 uint32 rows, groups, blocks
 *  24 float64 base offset
 *  32 uint32 length of the WARC's name
 *  36 uint32 length of the pack id
 *  40 uint32 length of the agent's name
 *  44 WARC name, pack id and agent in UTF-8, then the rows
 */
import { crc32 } from 'node:zlib'
import { type Crc32, joinCrc32, WindowedFile } from '../../../files/index.js'
import { LIMITS } from '../../../model/index.js'

export type RowTable = 'pages' | 'links' | 'items'

/** In the log of pages, a pack has its rows first, then the blocks of their texts, then facts about hosts. */
export type SegmentTable = RowTable | 'texts' | 'hosts'

export interface SegmentHeader {
  readonly table: SegmentTable
  readonly pack: string
  readonly agent: string
  /** The pack's WARC, relative to the crawl directory; empty when nothing was archived. */
  readonly warc: string
  /** Where the pack's bytes begin in that WARC. */
  readonly baseOffset: number
}

export interface Segment extends SegmentHeader {
  readonly rows: Buffer
}

export const DAMAGED_FILE = 'DAMAGED_FILE'

/** A file that differs from what was committed: the disk failed, or the file was changed. */
export class DamagedFileError extends Error {
  /** Kept when the error comes from another thread; the class is not. */
  readonly code = DAMAGED_FILE
  readonly path: string
  /** Follows the name of the file in a sentence. */
  readonly reason: string

  constructor(path: string, offset: number, what: string) {
    const reason = `is damaged at byte ${offset}: ${what}`
    super(`${path} ${reason}`)
    this.name = 'DamagedFileError'
    this.path = path
    this.reason = reason
  }
}

const MAGIC = 0x0353574f
const FIXED_BYTES = 44
/** The checksum of a segment covers the bytes from here on. */
const CHECKED_FROM = 8
const TABLES: readonly SegmentTable[] = ['pages', 'links', 'texts', 'hosts', 'items']
/** The crawler writes short names only, so a longer header is damage. */
const HEADER_BYTES_MAX = 16 * 1024

/** The buffers to append to a log for the rows of a pack; the rows themselves are not copied. */
export function segmentBuffers(header: SegmentHeader, rows: Buffer): Buffer[] {
  const buffers: Buffer[] = []
  for (let start = 0; start < rows.length; ) {
    let end = start
    let count = 0
    do {
      end += rows.readUInt32LE(end)
      count++
    } while (end < rows.length && end - start + rows.readUInt32LE(end) <= LIMITS.segmentBytes)
    const part = rows.subarray(start, end)
    buffers.push(encodeHeader(header, part, count), part)
    start = end
  }
  return buffers
}

function encodeHeader(header: SegmentHeader, rows: Buffer, count: number): Buffer {
  const names = [header.warc, header.pack, header.agent].map(name => Buffer.from(name))
  const bytes = Buffer.concat([Buffer.alloc(FIXED_BYTES), ...names])
  bytes.writeUInt32LE(MAGIC, 0)
  bytes.writeUInt32LE(bytes.length, 8)
  bytes.writeUInt32LE(rows.length, 12)
  bytes.writeUInt32LE(TABLES.indexOf(header.table), 16)
  bytes.writeUInt32LE(count, 20)
  bytes.writeDoubleLE(header.baseOffset, 24)
  for (const [i, name] of names.entries()) bytes.writeUInt32LE(name.length, 32 + 4 * i)
  bytes.writeUInt32LE(crc32(rows, crc32(bytes.subarray(CHECKED_FROM))), 4)
  return bytes
}

/** The digest of a log after the buffers of `segmentBuffers` were appended to it. */
export function digestSegments(buffers: readonly Buffer[], before: Crc32): Crc32 {
  let sum = before
  for (let i = 0; i < buffers.length; i += 2) {
    const [header, rows] = [buffers[i], buffers[i + 1]]
    sum = digestSegment(header, header.length + rows.length, sum)
  }
  return sum
}

/** Uses the checksum in the segment, so that its rows are not read again. */
function digestSegment(start: Buffer, length: number, before: Crc32): Crc32 {
  return joinCrc32(
    crc32(start.subarray(0, CHECKED_FROM), before),
    start.readUInt32LE(4),
    length - CHECKED_FROM,
  )
}

/** The buffer of the last reader, reused by the next one. */
let spare: Buffer | null = null

/**
 * The segments in the committed part of a log; with `table`, only those of one table, and the others are not
 * read. A segment's rows are valid until the next segment is read. `from` is the start of a segment.
 * `expected` is the digest of the committed part: another log would have sound segments too.
 */
export function* readSegments(
  path: string,
  committedBytes: number,
  table: SegmentTable | null = null,
  from = 0,
  expected?: Crc32 | null,
): Generator<Segment> {
  const file = new WindowedFile(path, table === null ? 'all' : 'some', spare)
  spare = null
  try {
    if (file.size < committedBytes)
      throw new DamagedFileError(path, file.size, `${committedBytes} bytes were committed`)
    let sum: Crc32 = 0
    for (let at = from; at < committedBytes; ) {
      const fixed = readExactly(path, file, at, Math.min(FIXED_BYTES, committedBytes - at))
      const length = segmentLength(path, at, fixed, committedBytes - at)
      const isWanted = table === null || TABLES[fixed.readUInt32LE(16)] === table
      if (isWanted) {
        const bytes = readExactly(path, file, at, length)
        const segment = decode(path, at, bytes)
        if (typeof expected === 'number') sum = digestSegment(bytes, length, sum)
        yield segment
      }
      at += length
    }
    if (typeof expected === 'number' && sum !== expected)
      throw new DamagedFileError(path, 0, 'it is not the file that was committed')
  } finally {
    spare = file.close()
  }
}

/** The number of packs with whole segments between two offsets of a log; `from` is the start of a segment. */
export function packsBetween(path: string, from: number, to: number): number {
  const packs = new Set<string>()
  try {
    for (const { pack } of readSegments(path, to, null, from)) packs.add(pack)
  } catch (error) {
    // A killed process leaves its last segment cut anywhere.
    if (!(error instanceof DamagedFileError)) throw error
  }
  return packs.size
}

/**
 * The sound segments of a damaged log; `null` stands for a damaged part up to the next sound segment.
 * Segments are found by their lengths; after a damaged length the rest is given up, because a search could
 * take text in a row for a segment.
 */
export function* salvageSegments(path: string, committedBytes: number): Generator<Segment | null> {
  const file = new WindowedFile(path, 'all', null)
  try {
    const end = Math.min(file.size, committedBytes)
    for (let at = 0; at < end; ) {
      const length = lengthAt(path, file, at, end)
      if (length === null) {
        yield null
        return
      }
      const bytes = file.read(at, length)
      yield orNull(() => decode(path, at, bytes))
      at += length
    }
    if (end < committedBytes) yield null
  } finally {
    file.close()
  }
}

function lengthAt(path: string, file: WindowedFile, at: number, end: number): number | null {
  return orNull(() => segmentLength(path, at, file.read(at, Math.min(FIXED_BYTES, end - at)), end - at))
}

function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof DamagedFileError) return null
    throw error
  }
}

function segmentLength(path: string, at: number, fixed: Buffer, leftBytes: number): number {
  if (fixed.length < FIXED_BYTES) throw new DamagedFileError(path, at, 'a segment is cut')
  if (fixed.readUInt32LE(0) !== MAGIC)
    throw new DamagedFileError(path, at, 'no segment of this version begins here')
  const headerBytes = fixed.readUInt32LE(8)
  const length = headerBytes + fixed.readUInt32LE(12)
  if (headerBytes < FIXED_BYTES || headerBytes > HEADER_BYTES_MAX || length > leftBytes)
    throw new DamagedFileError(path, at, 'a segment has an impossible length')
  return length
}

function decode(path: string, at: number, bytes: Buffer): Segment {
  if (crc32(bytes.subarray(CHECKED_FROM)) !== bytes.readUInt32LE(4))
    throw new DamagedFileError(path, at, 'the checksum differs')
  const names: string[] = []
  let start = FIXED_BYTES
  for (let i = 0; i < 3; i++) {
    const end = start + bytes.readUInt32LE(32 + 4 * i)
    names.push(bytes.toString('utf8', start, end))
    start = end
  }
  return {
    table: TABLES[bytes.readUInt32LE(16)],
    warc: names[0],
    pack: names[1],
    agent: names[2],
    baseOffset: bytes.readDoubleLE(24),
    rows: bytes.subarray(bytes.readUInt32LE(8)),
  }
}

function readExactly(path: string, file: WindowedFile, at: number, length: number): Buffer {
  const bytes = file.read(at, length)
  if (bytes.length < length)
    throw new DamagedFileError(path, at + bytes.length, 'the file became shorter while it was read')
  return bytes
}
