/** What an export did so far. */
import { forPeople } from '../../model/for-people.js'
import { isOfPage } from '../../model/page-error.js'

/** Told now and then: pages written, and how many there will be at most. */
export type Progress = (written: number, total: number) => void

const TELL_EVERY = 250

/** What an export wrote and left out. */
export interface Exported {
  readonly written: number
  /** Not changed since the previous crawl, which alone holds them. */
  readonly skippedUnchanged: number
  /** Records that could not be read, or converted, with the first as an example. */
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

  /** What `convert` makes of a page; null when it throws, which leaves out this page alone. */
  converted<T>(url: string, convert: () => T): T | null {
    try {
      return convert()
    } catch (error) {
      if (!isOfPage(error)) throw error
      const stack = error instanceof Error ? error.stack : undefined
      this.skip('unreadable', url, forPeople(`Orbweaver failed on it, which is a bug: ${stack ?? error}`))
      return null
    }
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
