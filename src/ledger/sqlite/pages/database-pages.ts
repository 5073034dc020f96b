/** The pages of a SQLite file, read without SQLite. */

import { fstatSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { openKept, readWhole } from '../../../files/index.js'
import { DATABASE_PAGES_PIECE_BYTES } from '../../limits.js'
import { setSum } from './page-sums.js'

/** An incomplete last page (its writer was killed) is padded with zeros. */
export function* databasePages(
  ledger: string,
  pageBytes: number,
): Generator<{ readonly page: number; readonly bytes: Buffer }> {
  const file = openKept(ledger)
  const piece = Buffer.allocUnsafe(Math.max(DATABASE_PAGES_PIECE_BYTES, pageBytes))
  for (let at = 0; ; at += piece.length) {
    const length = readPadded(file, piece, at)
    for (let offset = 0; offset < length; offset += pageBytes)
      yield { page: (at + offset) / pageBytes + 1, bytes: piece.subarray(offset, offset + pageBytes) }
    if (length < piece.length) return
  }
}

/** Zeros beyond the end of the file. */
export function databasePage(ledger: string, pageBytes: number, page: number): Buffer {
  const bytes = Buffer.allocUnsafe(pageBytes)
  readPadded(openKept(ledger), bytes, (page - 1) * pageBytes)
  return bytes
}

export function databaseBytes(ledger: string): number {
  return fstatSync(openKept(ledger)).size
}

/** The page size in the header of the first page. */
export function databasePageBytes(ledger: string): number {
  const size = databasePage(ledger, 100, 1).readUInt16BE(16)
  return size === 1 ? 65_536 : size
}

/** The sums of the pages as they are in the file. */
export function sumsOfFile(ledger: string, pageBytes: number): Buffer {
  const sums = Buffer.alloc(Math.ceil(databaseBytes(ledger) / pageBytes) * 4)
  const pages = sums.length / 4
  for (const { page, bytes } of databasePages(ledger, pageBytes))
    if (page <= pages) setSum(sums, page, crc32(bytes))
  return sums
}

/** Fills the rest with zeros. */
function readPadded(file: number, bytes: Buffer, at: number): number {
  const read = readWhole(file, bytes, at)
  bytes.fill(0, read)
  return read
}
