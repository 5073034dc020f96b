/**
 * Exceptions that one page causes. While a page is parsed, routed and put into its pack nothing asks the
 * ledger and nothing waits for a signal, so an exception there is a bug that this page brought to light, and
 * becomes its outcome. The one other cause is the disk that queues and seen-sets spill to: such an error ends
 * the agent, as everywhere.
 */
import { forDisplay, isOfPage } from '../../../model/index.js'

/** Lines in the log: a site may cause as many as it has pages. Outcomes count them all. */
const MOST_LINES = 1_000
const STACK_CHARS = 4_000

export type Log = (event: string, fields?: Readonly<Record<string, unknown>>) => void

export class PageFaults {
  readonly #log: Log
  #lines = 0

  constructor(log: Log) {
    this.#log = log
  }

  /** Logs what our own code threw; returns it in one line. Throws errors of the disk again. */
  caught(url: string, error: unknown): string {
    if (!isOfPage(error)) throw error
    return this.#note('internal error', url, error)
  }

  /** Logs what the fetcher threw, whose errors are never those of the disk. */
  ofFetch(url: string, error: unknown): void {
    this.#note('internal error', url, error)
  }

  /** Logs what a hook threw; returns it in one line. Its errors are its own, whatever they say. */
  ofHook(hook: string, url: string, error: unknown): string {
    return `${hook}: ${this.#note(`hook ${hook} failed`, url, error)}`
  }

  #note(event: string, url: string, error: unknown): string {
    const stack = error instanceof Error ? (error.stack ?? String(error)) : String(error)
    if (this.#lines++ < MOST_LINES)
      this.#log(event, { url: forDisplay(url), stack: stack.slice(0, STACK_CHARS) })
    return forDisplay(String(error))
  }
}
