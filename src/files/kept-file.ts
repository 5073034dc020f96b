/**
 * Reads a SQLite file that may be open in this process. Closing any descriptor of a file drops all POSIX
 * locks of the process on it, including those of SQLite in other threads; another process that closes the
 * ledger would then assume that it is the last one, and remove the log with later commits. So these
 * descriptors stay open until the process ends, one for each file.
 */
import { closeSync, fstatSync, openSync, statSync } from 'node:fs'
import { OPEN } from './inside.js'
import { copyBytes } from './whole-io.js'

const kept = new Map<string, number>()

/** The descriptor must not be closed. */
export function openKept(path: string): number {
  const { dev, ino } = statSync(path)
  const key = `${dev} ${ino}`
  const known = kept.get(key)
  // An inode number is reused once its file is gone.
  if (known !== undefined && fstatSync(known).nlink > 0) return known
  const file = openSync(path, OPEN.read)
  kept.set(key, file)
  return file
}

export function copyKept(path: string, target: string): void {
  const file = openKept(path)
  const copy = openSync(target, OPEN.create)
  try {
    copyBytes(file, 0, copy)
  } finally {
    closeSync(copy)
  }
}
