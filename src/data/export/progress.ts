/** What an export did so far. */
import { forDisplay, isOfPage } from '../../model/index.js'

/** Told now and then: pages written, and how many there will be at most. */
export type Progress = (written: number, total: number) => void

const TELL_EVERY = 250

/** What an export wrote and left out. */
export interface Exported {
  readonly written: number
  /** Of those written: not changed since an earlier crawl, out of its archive. */
  readonly fromEarlier: number
  /**
   * Of those written: the same, but out of the tables, as plain text, because that archive does not give
   * them.
   */
  readonly asPlainText: number
  /** The same, and left out. */
  readonly skippedUnchanged: number
  /** Why an earlier archive does not give a page. */
  readonly trouble: string
  /** Records that could not be read, or converted, with the first as an example. */
  readonly skippedUnreadable: number
  readonly example: string
  /** Those of them whose record is damaged or not there. */
  readonly damaged: number
}

export class ExportTally implements Exported {
  written = 0
  fromEarlier = 0
  asPlainText = 0
  skippedUnchanged = 0
  trouble = ''
  skippedUnreadable = 0
  example = ''
  damaged = 0
  readonly #progress: Progress

  constructor(progress: Progress) {
    this.#progress = progress
  }

  /** One more file (or line) of `total`; `archive` is where it came from, if that is an earlier crawl. */
  wrote(total: number, archive = 0): void {
    this.written++
    if (archive > 0) this.fromEarlier++
    if (this.written % TELL_EVERY === 0) this.#progress(this.written, total)
  }

  /** What `convert` makes of a page; null when it throws, which leaves out this page alone. */
  converted<T>(url: string, convert: () => T): T | null {
    try {
      return convert()
    } catch (error) {
      if (!isOfPage(error)) throw error
      const stack = error instanceof Error ? error.stack : undefined
      this.skip('unreadable', url, forDisplay(`an exception in Orbweaver, which is a bug: ${stack ?? error}`))
      return null
    }
  }

  /** So many pages without a body, and why. */
  missed(pages: number, why: string): void {
    this.skippedUnchanged += pages
    if (this.trouble === '') this.trouble = why
  }

  /** The tables had the text of a page that was missed. */
  tookText(): void {
    if (this.skippedUnchanged === 0) return
    this.skippedUnchanged--
    this.asPlainText++
  }

  skip(why: 'elsewhere' | 'unreadable' | 'damaged', url: string, detail: string): void {
    if (why === 'elsewhere') {
      this.missed(1, detail)
      return
    }
    if (why === 'damaged') this.damaged++
    if (this.skippedUnreadable++ === 0) this.example = `${url}: ${detail}`
  }
}
