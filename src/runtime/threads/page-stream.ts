import type { CrawledPage } from '../../cluster/agent/lane/index.js'
import type { Report } from '../../report/index.js'
import { BUFFERED_BYTES, BUFFERED_PAGES } from '../limits.js'

/** Receives the pages of all agents of this process. */
export interface PageReader {
  /** Its first Int32 is 1 while pages are wanted: agents in threads look here before they send one. */
  readonly wanted: SharedArrayBuffer
  /** Resolves when there is room for more. */
  push(page: CrawledPage): Promise<void>
  /** Called when the crawl is to stop: from then on no lane waits for room. */
  release(): void
}

/** Passes pages from the lanes of all agents to a `for await` loop; without a loop they are dropped. */
export class PageStream implements PageReader {
  readonly wanted = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  readonly #wanted = new Int32Array(this.wanted)
  #pages: CrawledPage[] = []
  #bytes = 0
  #isReleased = false
  #ended = false
  /** Wakes the loop when a page has come; the callbacks of `#onRoom` wake lanes that wait for room. */
  #onPage: (() => void) | null = null
  #onRoom: (() => void)[] = []

  push(page: CrawledPage): Promise<void> {
    if (!this.#hasLoop || this.#ended) return Promise.resolve()
    this.#pages.push(page)
    this.#bytes += page.body.length
    this.#onPage?.()
    if (this.#isReleased || this.#hasRoom) return Promise.resolve()
    return new Promise(resolve => this.#onRoom.push(resolve))
  }

  release(): void {
    this.#isReleased = true
    this.#letIn()
  }

  end(): void {
    this.#ended = true
    this.#onPage?.()
    this.#letIn()
  }

  /**
   * The only loop over the pages. When the loop ends, whether by `break`, by an exception or after the last
   * page, the crawl is stopped, and the generator returns after the crawl has ended. The directory is then
   * unlocked, and `resume` can continue it.
   */
  async *iterate(report: Promise<Report>, stop: () => void): AsyncGenerator<CrawledPage, void> {
    if (this.#hasLoop) throw new TypeError('the pages of a crawl go to one loop at a time')
    Atomics.store(this.#wanted, 0, 1)
    try {
      for (;;) {
        const page = this.#pages.shift()
        if (page) {
          this.#bytes -= page.body.length
          if (this.#hasRoom) this.#letIn()
          yield page
        } else if (this.#ended) break
        else await new Promise<void>(resolve => (this.#onPage = resolve))
      }
    } finally {
      Atomics.store(this.#wanted, 0, 0)
      this.#pages = []
      this.#bytes = 0
      this.#letIn()
      stop()
      await report
    }
  }

  get #hasLoop(): boolean {
    return Atomics.load(this.#wanted, 0) === 1
  }

  get #hasRoom(): boolean {
    return this.#pages.length < BUFFERED_PAGES && this.#bytes < BUFFERED_BYTES
  }

  #letIn(): void {
    const waiting = this.#onRoom
    this.#onRoom = []
    for (const resume of waiting) resume()
  }
}
