/** The pages of a SQLite file, read without SQLite, one by one. */
import { fstatSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { openKept } from '../../../files/index.js'
import { setSum } from './page-sums.js'

const PIECE_BYTES = 1024 * 1024

/** A last page that is not whole (its writer was killed) is filled up with zeros. */
export function* databasePages(
  ledger: string,
  pageBytes: number,
): Generator<{ readonly page: number; readonly bytes: Buffer }> {
  const file = openKept(ledger)
  const piece = Buffer.allocUnsafe(Math.max(PIECE_BYTES, pageBytes))
  for (let at = 0; ; at += piece.length) {
    const length = readAll(file, piece, at)
    for (let offset = 0; offset < length; offset += pageBytes)
      yield { page: (at + offset) / pageBytes + 1, bytes: piece.subarray(offset, offset + pageBytes) }
    if (length < piece.length) return
  }
}

/** Zeros where the file ends before it. */
export function databasePage(ledger: string, pageBytes: number, page: number): Buffer {
  const bytes = Buffer.allocUnsafe(pageBytes)
  readAll(openKept(ledger), bytes, (page - 1) * pageBytes)
  return bytes
}

export function databaseBytes(ledger: string): number {
  return fstatSync(openKept(ledger)).size
}

/** What the first page says. */
export function databasePageBytes(ledger: string): number {
  const size = databasePage(ledger, 100, 1).readUInt16BE(16)
  return size === 1 ? 65_536 : size
}

/** The sums of the file as it is. */
export function sumsOfFile(ledger: string, pageBytes: number): Buffer {
  const sums = Buffer.alloc(Math.ceil(databaseBytes(ledger) / pageBytes) * 4)
  const pages = sums.length / 4
  for (const { page, bytes } of databasePages(ledger, pageBytes))
    if (page <= pages) setSum(sums, page, crc32(bytes))
  return sums
}

/** Fills the rest with zeros. */
function readAll(file: number, bytes: Buffer, at: number): number {
  let read = 0
  while (read < bytes.length) {
    const more = readSync(file, bytes, read, bytes.length - read, at + read)
    if (more === 0) break
    read += more
  }
  bytes.fill(0, read)
  return read
}
