/**
 * Moves what was committed from the log into the database file, and keeps the sums of its pages right.
 * SQLite's own checkpoints are off, because nothing would write the sums.
 *
 * In this order, with all other writers kept out: the sums of the pages in the log are made durable, then the
 * pages are copied. While a page is in the log it is read from there, so nothing is ever compared with a sum
 * that is too new; and once SQLite begins the log anew, every page of it has its sum.
 */
import { existsSync, statSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import Database from 'libsql'
import { databasePageBytes, sumsOfFile } from './database-pages.js'
import {
  NO_SALTS,
  type PageSums,
  readPageSums,
  removePageSums,
  resizedSums,
  setSum,
  writePageSums,
} from './page-sums.js'
import { walFrames, walPath } from './wal-file.js'
import { lastFrames, readWalIndex, type WalIndex } from './wal-index.js'

/** Where another process writes for longer than this, the next checkpoint does it. */
const LOCK_WAIT_MS = 200

/**
 * Keeps writers out, in this process and in others, while `task` runs. False when somebody writes all the
 * time.
 */
export function withoutWriters(path: string, task: () => void): boolean {
  // A connection cannot make a checkpoint within a transaction of its own, so the lock needs another one.
  const lock = new Database(path, { timeout: LOCK_WAIT_MS })
  try {
    lock.exec('BEGIN IMMEDIATE')
  } catch (error) {
    lock.close()
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return false
    throw error
  }
  try {
    task()
    return true
  } finally {
    lock.exec('ROLLBACK')
    lock.close()
  }
}

/**
 * Gives every page in the log its sum; nobody writes meanwhile. Sums that are missing or damaged are those of
 * the file as it is. `writerAfter` says who writes from now on. Returns how many frames the log has.
 */
export function sumLog(path: string, writerAfter: (before: number) => number): number {
  const index = readWalIndex(path)
  if (index === null) {
    // Not in WAL mode: pages change without a log.
    removePageSums(path)
    return 0
  }
  const found = readPageSums(path)
  const known = typeof found === 'object' ? found : sumsAsTheyAre(path)
  const writer = writerAfter(known.writer)
  const sums = withLog(path, known, index, writer)
  const isSame =
    known === found && known.writer === writer && known.salts === sums.salts && known.frames === sums.frames
  if (!isSame) writePageSums(path, sums)
  return index.frames
}

/** Writes sums of the ledger as it is. */
export function renewPageSums(path: string): void {
  withoutWriters(path, () => {
    removePageSums(path)
    sumLog(path, () => 0)
  })
}

function sumsAsTheyAre(path: string): PageSums {
  const pageBytes = databasePageBytes(path)
  return { writer: 0, pageBytes, salts: NO_SALTS, frames: 0, sums: sumsOfFile(path, pageBytes) }
}

function withLog(path: string, known: PageSums, index: WalIndex, writer: number): PageSums {
  const { salts, frames } = index
  const { pageBytes } = known
  // A log that SQLite is about to begin anew is still the old one on the disk.
  if (frames === 0)
    return isEmpty(walPath(path)) ? { ...known, writer, salts: NO_SALTS, frames } : { ...known, writer }
  const first = known.salts === salts && known.frames <= frames ? known.frames + 1 : 1
  const sums = resizedSums(known.sums, index.pages, pageBytes)
  const last = lastFrames(path, first, frames)
  for (const frame of walFrames(path, pageBytes, last.values())) {
    if (last.get(frame.page) !== frame.number || frame.salts !== salts)
      throw new Error(`${walPath(path)} is not the log of its index`)
    // A page beyond the end was cut off by a later transaction.
    if (frame.page <= index.pages) setSum(sums, frame.page, crc32(frame.content))
  }
  return { writer, pageBytes, salts, frames, sums }
}

function isEmpty(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0
}

/**
 * Sums that are marked as open without a log: another program, or a process of ours that failed, has closed
 * the ledger, and SQLite moved the log into it. What they say is out of date. Before the ledger is opened.
 */
export function dropOrphanedSums(path: string): void {
  const found = readPageSums(path)
  if (typeof found === 'object' && found.writer !== 0 && !existsSync(walPath(path))) removePageSums(path)
}
