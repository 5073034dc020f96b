/**
 * Moves commits from the log into the database file, and updates the sums of its pages. SQLite's own
 * checkpoints are off, because they would not update the sums.
 *
 * Under the write lock, the sums of the pages in the log are made durable first, and then the pages are
 * copied. A page in the log is read from there, so no page is compared with a sum that is too new; and when
 * SQLite restarts the log, every page of the old one has its sum.
 */

import { existsSync, statSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import Database from 'libsql'
import { LOCK_WAIT_MS } from '../../limits.js'
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

/** Runs `task` while no connection of any process can write. False if the write lock is not available. */
export function withoutWriters(path: string, task: () => void): boolean {
  // A connection cannot run a checkpoint inside its own transaction, so the lock needs another connection.
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
 * Updates the sums with the pages in the log; must run without writers. Missing or damaged sums are computed
 * from the file. `writerAfter` maps the noted writer to the new one. Returns the number of frames of the log.
 */
export function sumLog(path: string, writerAfter: (before: number) => number): number {
  const index = readWalIndex(path)
  if (index === null) {
    // Not in WAL mode: pages change without a log.
    removePageSums(path)
    return 0
  }
  const found = readPageSums(path)
  const known = typeof found === 'object' ? found : sumsFromFile(path)
  const writer = writerAfter(known.writer)
  const sums = withLog(path, known, index, writer)
  const isSame =
    known === found && known.writer === writer && known.salts === sums.salts && known.frames === sums.frames
  if (!isSame) writePageSums(path, sums)
  return index.frames
}

/** Computes the sums from the ledger again. */
export function renewPageSums(path: string): void {
  withoutWriters(path, () => {
    removePageSums(path)
    sumLog(path, () => 0)
  })
}

function sumsFromFile(path: string): PageSums {
  const pageBytes = databasePageBytes(path)
  return { writer: 0, pageBytes, salts: NO_SALTS, frames: 0, sums: sumsOfFile(path, pageBytes) }
}

function withLog(path: string, known: PageSums, index: WalIndex, writer: number): PageSums {
  const { salts, frames } = index
  const { pageBytes } = known
  // A log that SQLite is about to restart still has its old frames on the disk.
  if (frames === 0)
    return isEmpty(walPath(path)) ? { ...known, writer, salts: NO_SALTS, frames } : { ...known, writer }
  const first = known.salts === salts && known.frames <= frames ? known.frames + 1 : 1
  const sums = resizedSums(known.sums, index.pages, pageBytes)
  const last = lastFrames(path, first, frames)
  for (const frame of walFrames(path, pageBytes, last.values())) {
    if (last.get(frame.page) !== frame.number || frame.salts !== salts)
      throw new Error(`${walPath(path)} is not the log of its index`)
    // A later transaction has truncated the database before this page.
    if (frame.page <= index.pages) setSum(sums, frame.page, crc32(frame.content))
  }
  return { writer, pageBytes, salts, frames, sums }
}

function isEmpty(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0
}

/**
 * Removes sums that note a writer although there is no log: another program, or a failed process of ours, has
 * closed the ledger, and SQLite moved the log into it without updating the sums. Call before opening the
 * ledger.
 */
export function dropOrphanedSums(path: string): void {
  const found = readPageSums(path)
  if (typeof found === 'object' && found.writer !== 0 && !existsSync(walPath(path))) removePageSums(path)
}
