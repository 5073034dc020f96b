/**
 * `ledger.db.sums`: a CRC-32 for each page of the ledger. SQLite has no checksums of its pages, so a flipped
 * bit could change the state of a crawl unnoticed.
 *
 * Always: a page that is not in the log has its sum here. The file is replaced as a whole, under SQLite's
 * write lock, before pages move from the log to the database (`sqlite-checkpoint.ts`).
 */
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { readSmallFile, syncDirectory, writeFileAtomically } from '../../../files/index.js'
import { isPageSize, type Salts } from './wal-file.js'

const SUFFIX = '.sums'
const MAGIC = Buffer.from('orbsums1')
const HEADER_BYTES = 32
const SUM_BYTES = 4

export interface PageSums {
  /**
   * A random number that identifies the writer of the log, running or killed. 0 without a writer: the sums
   * are then complete without a log.
   */
  readonly writer: number
  readonly pageBytes: number
  /** The sums are right once the first `frames` frames of the log with these salts are in the database. */
  readonly salts: Salts
  readonly frames: number
  /** Four bytes for each page. */
  readonly sums: Buffer
}

export const NO_SALTS: Salts = '0'.repeat(16)

export function pageSumsPath(ledger: string): string {
  return ledger + SUFFIX
}

export function pagesIn({ sums }: Pick<PageSums, 'sums'>): number {
  return sums.length / SUM_BYTES
}

/** Pages are numbered from 1. */
export function sumOf({ sums }: PageSums, page: number): number {
  return sums.readUInt32LE((page - 1) * SUM_BYTES)
}

export function setSum(sums: Buffer, page: number, sum: number): void {
  sums.writeUInt32LE(sum, (page - 1) * SUM_BYTES)
}

/** Sums for `pages` pages. Pages that were never written are holes in the file and read as zeros. */
export function resizedSums(sums: Buffer, pages: number, pageBytes: number): Buffer {
  const known = sums.length / SUM_BYTES
  const resized = Buffer.alloc(pages * SUM_BYTES)
  sums.copy(resized)
  const hole = crc32(Buffer.alloc(pageBytes))
  for (let page = known + 1; page <= pages; page++) setSum(resized, page, hole)
  return resized
}

export function readPageSums(ledger: string): PageSums | 'none' | 'damaged' {
  try {
    return decoded(readSmallFile(pageSumsPath(ledger))) ?? 'damaged'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'none'
    throw error
  }
}

export function writePageSums(ledger: string, sums: PageSums): void {
  writeFileAtomically(pageSumsPath(ledger), encoded(sums))
}

/** Durable before it returns: after a power loss, old sums would report damage in a sound ledger. */
export function removePageSums(ledger: string): void {
  rmSync(pageSumsPath(ledger), { force: true })
  syncDirectory(dirname(ledger))
}

function encoded({ writer, pageBytes, salts, frames, sums }: PageSums): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + sums.length + SUM_BYTES)
  MAGIC.copy(bytes)
  bytes.writeUInt32LE(writer, 8)
  bytes.writeUInt32LE(pageBytes, 12)
  bytes.write(salts, 16, 'hex')
  bytes.writeUInt32LE(frames, 24)
  sums.copy(bytes, HEADER_BYTES)
  const end = bytes.length - SUM_BYTES
  bytes.writeUInt32LE(crc32(bytes.subarray(0, end)), end)
  return bytes
}

function decoded(bytes: Buffer): PageSums | null {
  const end = bytes.length - SUM_BYTES
  if (end < HEADER_BYTES || end % SUM_BYTES !== 0 || !bytes.subarray(0, MAGIC.length).equals(MAGIC))
    return null
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end) || !isPageSize(bytes.readUInt32LE(12)))
    return null
  return {
    writer: bytes.readUInt32LE(8),
    pageBytes: bytes.readUInt32LE(12),
    salts: bytes.toString('hex', 16, 24),
    frames: bytes.readUInt32LE(24),
    sums: bytes.subarray(HEADER_BYTES, end),
  }
}
