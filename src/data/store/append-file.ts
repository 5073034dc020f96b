/** One append-only file of a pack store, open under `<name>.open` until it gets its name. */
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BLOCK_BYTES, BlockAccess, type Crc32, releaseBuffer, takeBuffer } from '../../files/index.js'
import { LIMITS } from '../../model/index.js'
import { digestAppend } from './append-digest.js'
import { ByteQueue } from './byte-queue.js'
import { OPEN_SUFFIX } from './file-names.js'
import type { StoredFile, StoredKind } from './pack-store.js'

export class AppendFile {
  readonly name: string
  readonly kind: StoredKind
  readonly #directory: string
  readonly #handle: FileHandle
  readonly #blocks: BlockAccess
  #bytes = 0
  #crc32: Crc32 = 0
  /** Rows in the file; the store counts them to know when a log is full. */
  rows = 0

  private constructor(directory: string, name: string, kind: StoredKind, handle: FileHandle) {
    this.#directory = directory
    this.name = name
    this.kind = kind
    this.#handle = handle
    this.#blocks = new BlockAccess(this.openPath, 'write')
  }

  static async create(directory: string, name: string, kind: StoredKind): Promise<AppendFile> {
    // 'wx': a file of this name belongs to another writer.
    const handle = await open(join(directory, name) + OPEN_SUFFIX, 'wx')
    return new AppendFile(directory, name, kind, handle)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Digest of everything appended (`file-digest.ts`). */
  get crc32(): Crc32 {
    return this.#crc32
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
    return { name: this.name, kind: this.kind, bytes: this.#bytes, crc32: this.#crc32 }
  }

  /** Appends `buffers` durably. Whole blocks of a large append bypass the page cache; the rest does not. */
  async append(buffers: readonly Buffer[]): Promise<void> {
    const crc32 = digestAppend(this.kind, buffers, this.#crc32)
    const queue = new ByteQueue(buffers)
    if (queue.length >= LIMITS.stageBytes) {
      await this.#write(queue.take((BLOCK_BYTES - (this.#bytes % BLOCK_BYTES)) % BLOCK_BYTES))
      await this.#writeBlocks(queue)
    }
    await this.#write(queue.take(queue.length))
    await this.#handle.datasync()
    this.#crc32 = crc32
  }

  async #writeBlocks(queue: ByteQueue): Promise<void> {
    const stage = takeBuffer()
    try {
      while (queue.length >= BLOCK_BYTES) {
        const whole = queue.length - (queue.length % BLOCK_BYTES)
        const blocks = queue.fill(stage.subarray(0, Math.min(whole, stage.length)))
        if (await this.#blocks.write(blocks, this.#bytes)) this.#bytes += blocks.length
        else await this.#write([blocks])
      }
    } finally {
      releaseBuffer(stage)
    }
  }

  async #write(buffers: readonly Buffer[]): Promise<void> {
    const left = new ByteQueue(buffers)
    while (left.length > 0) {
      const { bytesWritten } = await this.#handle.writev(left.view(), this.#bytes)
      this.#bytes += bytesWritten
      left.take(bytesWritten)
    }
  }

  /** Restores the state after an earlier append. */
  async truncate(bytes: number, rows: number, crc32: Crc32): Promise<void> {
    await this.#handle.truncate(bytes)
    this.#bytes = bytes
    this.#crc32 = crc32
    this.rows = rows
  }

  async close(): Promise<void> {
    this.#blocks.close()
    await this.#handle.close()
  }

  /** Closes the file under its final name. */
  async finish(): Promise<void> {
    await this.close()
    await rename(this.openPath, this.path)
    await syncFolder(this.folder)
  }

  async remove(): Promise<void> {
    await this.close()
    await rm(this.openPath, { force: true })
  }
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
