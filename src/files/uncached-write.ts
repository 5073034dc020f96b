/**
 * Direct input and output of whole blocks, past the page cache (O_DIRECT). A crawl writes its files once,
 * must flush them before they count, and rarely reads them again: a copy in the cache takes memory, and a
 * second or two of CPU time per gigabyte; direct writes take a twentieth of that. Buffer address, file
 * position and size must be multiples of a block, which is why buffers are WebAssembly memory. On file
 * systems without O_DIRECT all bytes take the usual way.
 */
import { closeSync, constants, openSync, readSync, write, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { alignedBuffer } from '../model/bytes/index.js'
import { LIMITS } from '../model/index.js'
import { OPEN } from './inside.js'

/** A multiple of the usual block sizes; a disk with larger blocks refuses direct access. */
export const BLOCK_BYTES = 4_096

const writeAsync = promisify(write)

const stages: Buffer[] = []

/** A buffer for direct writes, to be returned with `releaseBuffer`. */
export function takeBuffer(): Buffer {
  return stages.pop() ?? alignedBuffer(LIMITS.stageBytes)
}

export function releaseBuffer(stage: Buffer): void {
  stages.push(stage)
}

/**
 * Direct access to a file for whole blocks, opened on first use and closed for good when it fails. After that
 * it answers false or null, and the caller uses normal access, which reports errors such as a full disk.
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

  /**
   * Returns the number of bytes, fewer than asked for only at the end of the file; null: no direct access.
   */
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
      // Not every system has O_DIRECT.
      this.#descriptor = O_DIRECT === undefined ? null : openSync(this.#path, access | O_DIRECT)
    }
    return this.#descriptor
  }
}
