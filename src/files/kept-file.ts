/**
 * Reading a SQLite file that may be open in this process. Closing any descriptor of a file drops all POSIX
 * locks that the process has on it, those of SQLite in other threads included; another process that closes
 * the ledger then takes itself for the last one and removes the log with what was committed since. So what is
 * opened here stays open until the process ends, one descriptor for each file.
 */
import { closeSync, fstatSync, openSync, statSync } from 'node:fs'
import { OPEN } from './inside.js'
import { copyBytes } from './whole-writes.js'

const kept = new Map<string, number>()

/** Not to be closed. */
export function openKept(path: string): number {
  const { dev, ino } = statSync(path)
  const key = `${dev} ${ino}`
  const known = kept.get(key)
  // The number of an inode is used again once its file is gone.
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
