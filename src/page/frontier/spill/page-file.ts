/**
 * A file of 4 KiB pages that are taken, written, read and freed in any order. Derived data: never flushed on
 * purpose, deleted at start and on close.
 */
import { closeSync, existsSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

export const PAGE_BYTES = 4096

/** The number of no page. */
export const NO_PAGE = -1

export class PageFile {
  readonly #path: string
  #descriptor = -1
  #pages = 0
  #free: number[] = []

  /** Deletes the file of a crashed process. The new file is created when the first page is written. */
  constructor(path: string) {
    this.#path = path
    if (existsSync(path)) rmSync(path, { force: true })
  }

  /** Pages in use. */
  get pages(): number {
    return this.#pages - this.#free.length
  }

  take(): number {
    return this.#free.pop() ?? this.#pages++
  }

  giveBack(page: number): void {
    this.#free.push(page)
    if (this.#free.length === this.#pages) {
      this.#free = []
      this.#pages = 0
    }
  }

  write(page: number, bytes: Uint8Array): void {
    if (this.#descriptor < 0) this.#open()
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, page * PAGE_BYTES + done)
    }
  }

  /** Fills `target` from `offset` in the page; bytes that were never written are left unchanged. */
  read(page: number, offset: number, target: Uint8Array): void {
    const start = page * PAGE_BYTES + offset
    for (let done = 0; done < target.length; ) {
      const count = readSync(this.#descriptor, target, done, target.length - done, start + done)
      if (count === 0) return
      done += count
    }
  }

  close(): void {
    if (this.#descriptor < 0) return
    closeSync(this.#descriptor)
    rmSync(this.#path, { force: true })
    this.#descriptor = -1
    this.#pages = 0
    this.#free = []
  }

  #open(): void {
    mkdirSync(dirname(this.#path), { recursive: true })
    this.#descriptor = openSync(this.#path, 'w+')
  }
}
