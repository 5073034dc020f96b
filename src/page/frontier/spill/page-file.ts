/**
 * A file of 4 KiB pages for what does not fit in memory: pages are taken, written, read and given back in any
 * order. It is derived data: never flushed on purpose, deleted on close and on start.
 */
import { closeSync, existsSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

export const PAGE_BYTES = 4096

/** No page has this number. */
export const NO_PAGE = -1

export class PageFile {
  readonly #path: string
  #descriptor = -1
  #pages = 0
  #free: number[] = []

  /** Nothing is created before the first page is written; what a crash left behind goes now. */
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

  /** Fills `target` from `offset` within the page; what was never written reads as it stood before. */
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
