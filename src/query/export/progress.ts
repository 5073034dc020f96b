/** What an export did so far. */

/** Told now and then: pages written, and how many there will be at most. */
export type Progress = (written: number, total: number) => void

const TELL_EVERY = 250

export class ExportTally {
  written = 0
  /** Not changed since the previous crawl, which alone holds them. */
  skippedUnchanged = 0
  /** Records that could not be read, with the first as an example. */
  skippedUnreadable = 0
  example = ''
  readonly #progress: Progress

  constructor(progress: Progress) {
    this.#progress = progress
  }

  /** One more file (or line) of `total`. */
  wrote(total: number): void {
    this.written++
    if (this.written % TELL_EVERY === 0) this.#progress(this.written, total)
  }

  skip(why: 'elsewhere' | 'unreadable', url: string, detail: string): void {
    if (why === 'elsewhere') {
      this.skippedUnchanged++
      return
    }
    if (this.skippedUnreadable++ === 0) this.example = `${url}: ${detail}`
  }
}
