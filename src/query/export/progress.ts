/** What an export did so far. */

/** Told now and then: pages written, and how many there will be at most. */
export type Progress = (written: number, total: number) => void

const TELL_EVERY = 250

/** What an export wrote and left out. */
export interface Exported {
  readonly written: number
  /** Not changed since the previous crawl, which alone holds them. */
  readonly skippedUnchanged: number
  /** Records that could not be read, with the first as an example. */
  readonly skippedUnreadable: number
  readonly example: string
  /** Those of them whose record is damaged or not there. */
  readonly damaged: number
}

export class ExportTally implements Exported {
  written = 0
  skippedUnchanged = 0
  skippedUnreadable = 0
  example = ''
  damaged = 0
  readonly #progress: Progress

  constructor(progress: Progress) {
    this.#progress = progress
  }

  /** One more file (or line) of `total`. */
  wrote(total: number): void {
    this.written++
    if (this.written % TELL_EVERY === 0) this.#progress(this.written, total)
  }

  skip(why: 'elsewhere' | 'unreadable' | 'damaged', url: string, detail: string): void {
    if (why === 'elsewhere') {
      this.skippedUnchanged++
      return
    }
    if (why === 'damaged') this.damaged++
    if (this.skippedUnreadable++ === 0) this.example = `${url}: ${detail}`
  }
}
