/**
 * A new file, written sequentially. Small writes are collected in a buffer to save system calls, and whole
 * buffers do not pass through the page cache.
 */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { Crc32 } from './file-digest.js'
import { OPEN } from './inside.js'
import { BlockAccess, releaseBuffer, takeBuffer } from './uncached-write.js'
import { writeWhole } from './whole-io.js'

/** A sequential output. */
export interface Output {
  write(bytes: Uint8Array): void
}

export class StagedFile implements Output {
  readonly #file: number
  readonly #blocks: BlockAccess
  readonly #stage = takeBuffer()
  #staged = 0
  /** Bytes in the file, without the staged ones. */
  #bytes = 0
  #crc32: Crc32 = 0

  constructor(path: string) {
    this.#file = openSync(path, OPEN.create)
    this.#blocks = new BlockAccess(path, 'write')
  }

  write(bytes: Uint8Array): void {
    let rest = bytes
    while (this.#staged + rest.length >= this.#stage.length) {
      const room = this.#stage.length - this.#staged
      this.#stage.set(rest.subarray(0, room), this.#staged)
      this.#staged += room
      this.#flush()
      rest = rest.subarray(room)
    }
    this.#stage.set(rest, this.#staged)
    this.#staged += rest.length
  }

  /** Checksum of the bytes in the file, without the staged ones. */
  get crc32(): Crc32 {
    return this.#crc32
  }

  /** Writes the staged bytes to the file. */
  flush(): void {
    if (this.#staged > 0) this.#flush()
  }

  /** Writes the staged bytes, and waits until the disk has all of the file. */
  sync(): void {
    this.flush()
    fsyncSync(this.#file)
  }

  /** Staged bytes are lost. */
  close(): void {
    releaseBuffer(this.#stage)
    try {
      this.#blocks.close()
    } finally {
      closeSync(this.#file)
    }
  }

  /** Only the last part is shorter than the stage; it goes through the page cache. */
  #flush(): void {
    const part = this.#stage.subarray(0, this.#staged)
    const isWhole = part.length === this.#stage.length
    if (!isWhole || !this.#blocks.writeSync(part, this.#bytes)) writeWhole(this.#file, part, this.#bytes)
    this.#bytes += part.length
    this.#crc32 = crc32(part, this.#crc32)
    this.#staged = 0
  }
}
