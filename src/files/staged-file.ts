/**
 * A new file, written from its beginning to its end. What comes is put together first, so that small pieces
 * cost no call each, and what is large does not pass through the page cache.
 */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { Crc32 } from './file-digest.js'
import { OPEN } from './inside.js'
import { BlockAccess, releaseBuffer, takeBuffer } from './uncached-write.js'
import { writeWhole } from './whole-writes.js'

/** What bytes can be written to, one behind the other. */
export interface Output {
  write(bytes: Uint8Array): void
}

export class StagedFile implements Output {
  readonly #file: number
  readonly #blocks: BlockAccess
  readonly #stage = takeBuffer()
  #staged = 0
  /** In the file, without what is staged. */
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

  /** Of what is in the file, without what is staged. */
  get crc32(): Crc32 {
    return this.#crc32
  }

  /** Everything is in the file. */
  flush(): void {
    if (this.#staged > 0) this.#flush()
  }

  /** Everything is on the disk. */
  sync(): void {
    this.flush()
    fsyncSync(this.#file)
  }

  /** What is still staged is lost. */
  close(): void {
    releaseBuffer(this.#stage)
    try {
      this.#blocks.close()
    } finally {
      closeSync(this.#file)
    }
  }

  /** Only the last part is less than the stage, and no whole blocks. */
  #flush(): void {
    const part = this.#stage.subarray(0, this.#staged)
    const isWhole = part.length === this.#stage.length
    if (!isWhole || !this.#blocks.writeSync(part, this.#bytes)) writeWhole(this.#file, part, this.#bytes)
    this.#bytes += part.length
    this.#crc32 = crc32(part, this.#crc32)
    this.#staged = 0
  }
}
