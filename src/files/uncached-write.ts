/**
 * Whole blocks past the page cache. What a crawl stores is written once, must be on the disk before it
 * counts, and is hardly read again: a copy in the cache takes memory from the machine, and a second or two of
 * CPU time for a gigabyte where blocks that go straight to the disk take a twentieth of that. The system asks
 * that memory, place and size are multiples of a block; WebAssembly's memory is. Where a file system does not
 * do it, all is written and read as usual.
 */
import { closeSync, constants, openSync, readSync, write, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { alignedBuffer } from '../model/bytes/index.js'
import { LIMITS } from '../model/index.js'
import { OPEN } from './inside.js'

/** A multiple of what disks and file systems ask for; one that asks for more refuses. */
export const BLOCK_BYTES = 4_096

const writeAsync = promisify(write)

const stages: Buffer[] = []

/** Where bytes are put together that go to the disk at once. To be given back. */
export function takeBuffer(): Buffer {
  return stages.pop() ?? alignedBuffer(LIMITS.stageBytes)
}

export function releaseBuffer(stage: Buffer): void {
  stages.push(stage)
}

/**
 * A second way into a file, for whole blocks: opened with the first of them, closed for good when they are
 * refused. What it then answers (false, null) means that they go the way of all other bytes, which tells what
 * is wrong if it is no better: a full or a broken disk.
 */
export class BlockAccess {
  readonly #path: string
  readonly #purpose: 'read' | 'write'
  #descriptor: number | null | undefined

  constructor(path: string, purpose: 'read' | 'write') {
    this.#path = path
    this.#purpose = purpose
  }

  async write(blocks: Buffer, position: number): Promise<boolean> {
    try {
      const file = this.#open()
      if (file === null) return false
      for (let done = 0; done < blocks.length; ) {
        const { bytesWritten } = await writeAsync(file, blocks, done, blocks.length - done, position + done)
        done += bytesWritten
      }
      return true
    } catch {
      this.close()
      return false
    }
  }

  writeSync(blocks: Buffer, position: number): boolean {
    try {
      const file = this.#open()
      if (file === null) return false
      for (let done = 0; done < blocks.length; )
        done += writeSync(file, blocks, done, blocks.length - done, position + done)
      return true
    } catch {
      this.close()
      return false
    }
  }

  /** How many bytes there were: fewer than asked for only at the end of the file. */
  readSync(into: Buffer, position: number): number | null {
    try {
      const file = this.#open()
      if (file === null) return null
      let done = 0
      let count = 0
      do {
        count = readSync(file, into, done, into.length - done, position + done)
        done += count
      } while (count > 0 && done < into.length && done % BLOCK_BYTES === 0)
      return done
    } catch {
      this.close()
      return null
    }
  }

  close(): void {
    const file = this.#descriptor
    this.#descriptor = null
    if (typeof file === 'number') closeSync(file)
  }

  #open(): number | null {
    if (this.#descriptor === undefined) {
      const { O_RDONLY, O_WRONLY, O_DIRECT } = constants
      const access = (this.#purpose === 'read' ? O_RDONLY : O_WRONLY) | OPEN.noFollow
      // Not every system knows it.
      this.#descriptor = O_DIRECT === undefined ? null : openSync(this.#path, access | O_DIRECT)
    }
    return this.#descriptor
  }
}
