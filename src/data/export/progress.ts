/** What an export did so far. */
import { forDisplay, isOfPage } from '../../model/index.js'

/** Called now and then with the pages written and their largest possible number. */
export type Progress = (written: number, total: number) => void

const TELL_EVERY = 250

/** What an export wrote and left out. */
export class ExportTally {
  written = 0
  /** Pages that did not change since an earlier crawl and were written from its archive. */
  fromEarlier = 0
  /** Unchanged pages written as plain text from the tables, because no earlier archive has them. */
  asPlainText = 0
  /** Unchanged pages left out. */
  skippedUnchanged = 0
  /** Why an earlier archive does not have a page. */
  trouble = ''
  /** Records that could not be read or converted; `example` is the first of them. */
  skippedUnreadable = 0
  example = ''
  /** Unreadable records that are damaged or missing. */
  damaged = 0
  readonly #progress: Progress

  constructor(progress: Progress) {
    this.#progress = progress
  }

  /** Counts one more file or line of `total`; `archive` > 0 says that it came from an earlier crawl. */
  wrote(total: number, archive = 0): void {
    this.written++
    if (archive > 0) this.fromEarlier++
    if (this.written % TELL_EVERY === 0) this.#progress(this.written, total)
  }

  /** The result of `convert`; null when it throws, which leaves out this page only. */
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

  /** Counts pages whose body was not found. */
  missed(pages: number, why: string): void {
    this.skippedUnchanged += pages
    if (this.trouble === '') this.trouble = why
  }

  /** Counts a page as written from the tables that was counted as missed before. */
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

/** The tally as callers see it. */
export type ExportResult = Readonly<
  Pick<ExportTally, 'written' | 'fromEarlier' | 'asPlainText' | 'skippedUnchanged' | 'trouble'> &
    Pick<ExportTally, 'skippedUnreadable' | 'example' | 'damaged'>
>
