/**
 * Exceptions that one page causes. While a page is parsed, routed and put into the pack, nothing calls the
 * ledger and nothing waits. So an exception there is a bug that this page triggers, and becomes its outcome.
 * The only other cause is the disk to which queues and seen-sets spill: such an error ends the agent.
 */

import { forDisplay, isOfPage } from '../../../model/index.js'
import type { GuestFailure } from '../../../page/guest/index.js'
import { PAGE_FAULTS_STACK_CHARS } from '../../limits.js'

/** The most lines in the log: each page of a site may cause one. The outcomes count all of them. */
const MOST_LINES = 1_000

export type Log = (event: string, fields?: Readonly<Record<string, unknown>>) => void

export class PageFaults {
  readonly #log: Log
  #lines = 0

  constructor(log: Log) {
    this.#log = log
  }

  /** Logs an exception of our own code and returns it as one line. Rethrows errors of the disk. */
  caught(url: string, error: unknown): string {
    if (!isOfPage(error)) throw error
    return this.#note('internal error', url, error)
  }

  /** Logs an exception of the fetcher, which does not use the disk. */
  ofFetch(url: string, error: unknown): void {
    this.#note('internal error', url, error)
  }

  /** Logs a failure of the guest and returns it as one line. It never counts as an error of our disk. */
  ofGuest(url: string, { code, detail, stack }: GuestFailure): string {
    if (this.#lines++ < MOST_LINES) {
      const shown = (stack ?? detail).slice(0, PAGE_FAULTS_STACK_CHARS)
      this.#log('guest failed', { url: forDisplay(url), code, detail: forDisplay(detail), stack: shown })
    }
    return forDisplay(detail)
  }

  #note(event: string, url: string, error: unknown): string {
    const stack = error instanceof Error ? (error.stack ?? String(error)) : String(error)
    if (this.#lines++ < MOST_LINES)
      this.#log(event, { url: forDisplay(url), stack: stack.slice(0, PAGE_FAULTS_STACK_CHARS) })
    return forDisplay(String(error))
  }
}
