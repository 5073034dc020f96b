/**
 * The write-ahead log of a SQLite database, read without SQLite (https://sqlite.org/walformat.html). Each
 * frame is a page with a checksum over all frames before it, so a log is valid up to the first frame with a
 * wrong checksum. SQLite takes no locks on this file, so it may be opened and closed at any time.
 */

import { closeSync, openSync, readSync } from 'node:fs'
import { endianness } from 'node:os'
import { OPEN, readWhole } from '../../../files/index.js'
import { WAL_FILE_PIECE_BYTES } from '../../limits.js'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const MAGIC = 0x377f0682
const IS_BIG_ENDIAN_HOST = endianness() === 'BE'

/** The eight bytes that distinguish one log from the next, in hexadecimal. */
export type Salts = string

export interface WalFrame {
  /** From 1. */
  readonly number: number
  readonly page: number
  /** The size of the database in pages after this transaction; 0 when the frame does not end one. */
  readonly commitPages: number
  readonly salts: Salts
  /** Valid until the next frame is read. */
  readonly bytes: Buffer
  readonly content: Buffer
}

interface WalHeader {
  readonly salts: Salts
  readonly pageBytes: number
  readonly isBigEndian: boolean
  readonly checksum: Checksum
  readonly bytes: Buffer
}

export interface WalContent {
  readonly salts: Salts
  readonly pageBytes: number
  /** The number of valid frames, up to the last one that ends a transaction. */
  readonly frames: number
  /** The size of the database in pages after those frames. */
  readonly pages: number
  /** The pages in those frames. */
  readonly changed: ReadonlySet<number>
  /** The number of transactions that seem to end after the first invalid frame. */
  readonly laterEnds: number
}

/** `empty`: no frame was ever written. `replaced`: SQLite restarted the log while it was read. */
export type WalState = WalContent | 'missing' | 'empty' | 'damaged' | 'replaced'

export function walPath(ledger: string): string {
  return `${ledger}-wal`
}

/** Reads the log as SQLite does when it recovers a database. */
export function readWal(ledger: string): WalState {
  const file = openWal(ledger)
  if (file === null) return 'missing'
  try {
    const header = readHeader(file)
    if (typeof header === 'string') return header
    const content = contentOf(file, header)
    return readBytes(file, 0, HEADER_BYTES).equals(header.bytes) ? content : 'replaced'
  } finally {
    closeSync(file)
  }
}

/** The frames with these numbers, without a check of their checksums: they must be committed. */
export function* walFrames(
  ledger: string,
  pageBytes: number,
  numbers: Iterable<number>,
): Generator<WalFrame> {
  const file = openWal(ledger)
  if (file === null) throw new Error(`${walPath(ledger)} is missing`)
  try {
    // One buffer for all: allocating memory costs more than the read.
    const bytes = Buffer.allocUnsafeSlow(FRAME_HEADER_BYTES + pageBytes)
    for (const number of numbers) {
      const length = readSync(file, bytes, 0, bytes.length, HEADER_BYTES + (number - 1) * bytes.length)
      if (length < bytes.length) throw new Error(`${walPath(ledger)} ends before frame ${number}`)
      yield frameOf(bytes, number)
    }
  } finally {
    closeSync(file)
  }
}

/** The number of the single bit in the file whose flip repairs the first invalid part; null without one. */
export function flippedWalBit(ledger: string): number | null {
  const file = openWal(ledger)
  if (file === null) return null
  try {
    const bytes = readBytes(file, 0, HEADER_BYTES)
    const header = walHeaderOf(bytes)
    if (header === null) return flippedBitOf(bytes, () => walHeaderOf(bytes) !== null)
    let before = header.checksum
    for (const { number, bytes } of framesIn(file, header.pageBytes)) {
      const checksum = frameChecksum(bytes, header, before)
      if (checksum === null) {
        const bit = flippedBitOf(bytes, () => frameChecksum(bytes, header, before) !== null)
        return bit === null ? null : (HEADER_BYTES + (number - 1) * bytes.length) * 8 + bit
      }
      before = checksum
    }
    return null
  } finally {
    closeSync(file)
  }
}

function flippedBitOf(bytes: Buffer, isValid: () => boolean): number | null {
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    bytes[bit >>> 3] ^= 1 << (bit & 7)
    if (isValid()) return bit
    bytes[bit >>> 3] ^= 1 << (bit & 7)
  }
  return null
}

function openWal(ledger: string): number | null {
  try {
    return openSync(walPath(ledger), OPEN.read)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** SQLite syncs the header before the first frame, so a torn header has no frames after it. */
function readHeader(file: number): WalHeader | 'empty' | 'damaged' {
  const bytes = readBytes(file, 0, HEADER_BYTES + 1)
  const header = walHeaderOf(bytes.subarray(0, HEADER_BYTES))
  if (header === null) return bytes.length > HEADER_BYTES ? 'damaged' : 'empty'
  return header
}

/** Null if the header is invalid. */
function walHeaderOf(bytes: Buffer): WalHeader | null {
  if (bytes.length < HEADER_BYTES) return null
  const magic = bytes.readUInt32BE(0)
  const isBigEndian = magic === MAGIC + 1
  const checksum = checksumOf(bytes.subarray(0, 24), isBigEndian, ZERO)
  if ((magic !== MAGIC && !isBigEndian) || !isStored(checksum, bytes, 24)) return null
  const salts = saltsOf(bytes, 16)
  const pageBytes = bytes.readUInt32BE(8)
  return isPageSize(pageBytes) ? { salts, pageBytes, isBigEndian, checksum, bytes } : null
}

/** SQLite's page sizes; a foreign file may claim any number. */
export function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0
}

function contentOf(file: number, header: WalHeader): WalContent {
  const { salts, pageBytes } = header
  const changed = new Set<number>()
  const pending: number[] = []
  let [frames, pages, laterEnds] = [0, 0, 0]
  let before: Checksum | null = header.checksum
  for (const frame of framesIn(file, pageBytes)) {
    const isEnd = frame.commitPages > 0
    before = before && frameChecksum(frame.bytes, header, before)
    if (before === null) {
      if (isEnd && frame.salts === salts) laterEnds++
      continue
    }
    pending.push(frame.page)
    if (!isEnd) continue
    for (const page of pending.splice(0)) changed.add(page)
    frames = frame.number
    pages = frame.commitPages
  }
  return { salts, pageBytes, frames, pages, changed, laterEnds }
}

function* framesIn(file: number, pageBytes: number): Generator<WalFrame> {
  const frameBytes = FRAME_HEADER_BYTES + pageBytes
  const perPiece = Math.max(1, Math.floor(WAL_FILE_PIECE_BYTES / frameBytes))
  for (let first = 1, whole = perPiece; whole === perPiece; first += perPiece) {
    const piece = readBytes(file, HEADER_BYTES + (first - 1) * frameBytes, perPiece * frameBytes)
    whole = Math.floor(piece.length / frameBytes)
    for (let i = 0; i < whole; i++)
      yield frameOf(piece.subarray(i * frameBytes, (i + 1) * frameBytes), first + i)
  }
}

function frameOf(bytes: Buffer, number: number): WalFrame {
  return {
    number,
    page: bytes.readUInt32BE(0),
    commitPages: bytes.readUInt32BE(4),
    salts: saltsOf(bytes, 8),
    bytes,
    content: bytes.subarray(FRAME_HEADER_BYTES),
  }
}

/** The checksum after this frame, or null if the frame does not continue the log. */
function frameChecksum(
  frame: Buffer,
  { salts, isBigEndian }: Pick<WalHeader, 'salts' | 'isBigEndian'>,
  before: Checksum,
): Checksum | null {
  if (saltsOf(frame, 8) !== salts || frame.readUInt32BE(0) === 0) return null
  const head = checksumOf(frame.subarray(0, 8), isBigEndian, before)
  const all = checksumOf(frame.subarray(FRAME_HEADER_BYTES), isBigEndian, head)
  return isStored(all, frame, 16) ? all : null
}

type Checksum = readonly [number, number]
const ZERO: Checksum = [0, 0]

/** SQLite's checksum over words of 32 bits; the length of `bytes` must be a multiple of eight. */
export function checksumOf(bytes: Buffer, isBigEndian: boolean, [before0, before1]: Checksum): Checksum {
  const native = isBigEndian === IS_BIG_ENDIAN_HOST ? bytes : Buffer.from(bytes).swap32()
  const words = wordsOf(native)
  let s0 = before0
  let s1 = before1
  for (let i = 0; i < words.length; i += 2) {
    s0 = (s0 + words[i] + s1) | 0
    s1 = (s1 + words[i + 1] + s0) | 0
  }
  return [s0, s1]
}

function wordsOf(bytes: Buffer): Int32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length >>> 2)
}

function saltsOf(bytes: Buffer, at: number): Salts {
  return bytes.toString('hex', at, at + 8)
}

function isStored([s0, s1]: Checksum, bytes: Buffer, at: number): boolean {
  return bytes.readInt32BE(at) === s0 && bytes.readInt32BE(at + 4) === s1
}

function readBytes(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length)
  return bytes.subarray(0, readWhole(file, bytes, at))
}
