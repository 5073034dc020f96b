/**
 * Sends pages from the thread of an agent to the loop in the thread that began the crawl. An agent sends a
 * few pages ahead and then waits until one is taken, so that a slow loop slows the crawl down and memory
 * stays bounded: a page that waits to be sent counts as in flight.
 */

import type { TransferListItem } from 'node:worker_threads'
import type { CrawledPage } from '../../cluster/agent/lane/index.js'
import { PAGE_SENDER_SENT_PAGES } from '../limits.js'

/** A Buffer arrives in another thread as a Uint8Array. */
export type SentPage = Omit<CrawledPage, 'body'> & { readonly body: Uint8Array }

export class PageSender {
  readonly #wanted: Int32Array
  readonly #post: (page: SentPage, hands: readonly TransferListItem[]) => void
  #sent = 0
  #onTaken: (() => void)[] = []

  constructor(wanted: SharedArrayBuffer, post: (page: SentPage, hands: readonly TransferListItem[]) => void) {
    this.#wanted = new Int32Array(wanted)
    this.#post = post
  }

  async send(page: CrawledPage): Promise<void> {
    while (this.#isWanted && this.#sent >= PAGE_SENDER_SENT_PAGES)
      await new Promise<void>(resolve => this.#onTaken.push(resolve))
    if (!this.#isWanted) return
    this.#sent++
    // A copy of its own: the buffer of a response may hold more than this body, and would be sent whole.
    const body = new Uint8Array(page.body)
    this.#post({ ...page, body }, [body.buffer])
  }

  taken(): void {
    this.#sent--
    const waiting = this.#onTaken
    this.#onTaken = []
    for (const resume of waiting) resume()
  }

  get #isWanted(): boolean {
    return Atomics.load(this.#wanted, 0) === 1
  }
}

export function receivedPage(page: SentPage): CrawledPage {
  const { buffer, byteOffset, byteLength } = page.body
  return { ...page, body: Buffer.from(buffer, byteOffset, byteLength) }
}
