/** Files that exist as a whole or not at all, also after a crash. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Crc32 } from './file-digest.js'
import { type Output, StagedFile } from './staged-file.js'

/** Makes a directory's entries (a new, renamed or removed file) durable. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

/**
 * A file beside `path` that replaces it when it is kept (fsync, rename, fsync of the directory) and is
 * removed when it is dropped. The caller must not write the same `path` twice at a time.
 */
export class DurableFile implements Output {
  readonly #path: string
  readonly #temporary: string
  readonly #file: StagedFile
  #isOpen = true

  constructor(path: string) {
    this.#path = path
    this.#temporary = `${path}.tmp`
    this.#file = new StagedFile(this.#temporary)
  }

  write(bytes: Uint8Array): void {
    this.#file.write(bytes)
  }

  /** Returns the checksum of the file. */
  keep(): Crc32 {
    this.#file.sync()
    const { crc32 } = this.#file
    this.#close()
    renameSync(this.#temporary, this.#path)
    syncDirectory(dirname(this.#path))
    return crc32
  }

  /** Removes the incomplete file, which takes space on a full disk. */
  drop(): void {
    this.#close()
    rmSync(this.#temporary, { force: true })
  }

  #close(): void {
    if (!this.#isOpen) return
    // Set first: a close that fails is not repeated.
    this.#isOpen = false
    this.#file.close()
  }
}

/** Runs `write` on a file that replaces `path` afterwards, unless it throws. */
export function writeDurably<T>(
  path: string,
  write: (file: Output) => T,
): { readonly result: T; readonly crc32: Crc32 } {
  const file = new DurableFile(path)
  try {
    const result = write(file)
    return { result, crc32: file.keep() }
  } catch (error) {
    file.drop()
    throw error
  }
}

/** A small file, replaced as a whole. */
export function writeFileAtomically(path: string, content: string | Uint8Array): void {
  writeDurably(path, file => file.write(typeof content === 'string' ? Buffer.from(content) : content))
}
