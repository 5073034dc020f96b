/** One append-only file of a pack store, open under `<name>.open` until it gets its name. */
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OPEN_SUFFIX } from './file-names.js'
import type { StoredFile, StoredKind } from './pack-store.js'

export class AppendFile {
  readonly name: string
  readonly kind: StoredKind
  readonly #directory: string
  readonly #handle: FileHandle
  #bytes = 0
  /** Rows in the file; the store counts them to know when a log is full. */
  rows = 0

  private constructor(directory: string, name: string, kind: StoredKind, handle: FileHandle) {
    this.#directory = directory
    this.name = name
    this.kind = kind
    this.#handle = handle
  }

  static async create(directory: string, name: string, kind: StoredKind): Promise<AppendFile> {
    // 'wx': a file of this name would be somebody else's.
    const handle = await open(join(directory, name) + OPEN_SUFFIX, 'wx')
    return new AppendFile(directory, name, kind, handle)
  }

  get bytes(): number {
    return this.#bytes
  }

  get path(): string {
    return join(this.#directory, this.name)
  }

  get openPath(): string {
    return this.path + OPEN_SUFFIX
  }

  get folder(): string {
    return dirname(this.path)
  }

  stored(): StoredFile {
    return { name: this.name, kind: this.kind, bytes: this.#bytes }
  }

  /** Writes all of `buffers` at the end and waits until the disk has them. */
  async append(buffers: readonly Buffer[]): Promise<void> {
    let left = buffers.filter(buffer => buffer.length > 0)
    while (left.length > 0) {
      const { bytesWritten } = await this.#handle.writev(left, this.#bytes)
      this.#bytes += bytesWritten
      left = without(left, bytesWritten)
    }
    await this.#handle.datasync()
  }

  async truncate(bytes: number, rows: number): Promise<void> {
    await this.#handle.truncate(bytes)
    this.#bytes = bytes
    this.rows = rows
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }

  /** Closes it for good under its name. */
  async finish(): Promise<void> {
    await this.#handle.close()
    await rename(this.openPath, this.path)
    await syncFolder(this.folder)
  }

  async remove(): Promise<void> {
    await this.#handle.close()
    await rm(this.openPath, { force: true })
  }
}

/** What is left of `buffers` after their first `count` bytes. */
function without(buffers: readonly Buffer[], count: number): Buffer[] {
  let skip = count
  const left: Buffer[] = []
  for (const buffer of buffers) {
    if (skip < buffer.length) left.push(skip === 0 ? buffer : buffer.subarray(skip))
    skip = Math.max(0, skip - buffer.length)
  }
  return left
}

/** Makes new and renamed entries of a directory durable. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
