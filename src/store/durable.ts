/** Files that are there whole or not at all, after a crash too. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Makes a directory's entries (a new, renamed or removed file) durable. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

/** Writes all of `bytes` at the end of what was written so far. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done)
}

/**
 * Runs `write` on a temporary file beside `path`, then puts it in its place: fsync, rename, fsync of the directory.
 * Two writers of one `path` at a time are the caller's mistake.
 */
export function writeDurably<T>(path: string, write: (file: number) => T): T {
  const temporary = `${path}.tmp`
  const file = openSync(temporary, 'w')
  let result: T
  try {
    result = write(file)
    fsyncSync(file)
  } catch (error) {
    // On a full disk its half is in the way of everything else.
    rmSync(temporary, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  syncDirectory(dirname(path))
  return result
}

/** A small file, replaced as a whole. */
export function writeFileAtomically(path: string, content: string | Uint8Array): void {
  writeDurably(path, file => writeAll(file, typeof content === 'string' ? Buffer.from(content) : content))
}
