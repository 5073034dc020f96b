import type { CrawledPage, Report } from '../agent/index.js'

/** Pages that may wait for the reader before the lanes do. */
const BUFFERED_PAGES = 64

/** Hands pages from the lanes to a `for await` loop; without a loop they are let go. */
export class PageStream {
  #pages: CrawledPage[] = []
  #hasReader = false
  #ended = false
  /** Rung for the reader when a page came, and for waiting lanes when one was taken. */
  #onPage: (() => void) | null = null
  #onRoom: (() => void)[] = []

  /** Resolves when there is room for more. */
  push(page: CrawledPage): Promise<void> {
    if (!this.#hasReader || this.#ended) return Promise.resolve()
    this.#pages.push(page)
    this.#onPage?.()
    if (this.#pages.length < BUFFERED_PAGES) return Promise.resolve()
    return new Promise(resolve => this.#onRoom.push(resolve))
  }

  end(): void {
    this.#ended = true
    this.#onPage?.()
    this.#release()
  }

  async *iterate(report: Promise<Report>, stop: () => void): AsyncGenerator<CrawledPage, void> {
    this.#hasReader = true
    try {
      for (;;) {
        const page = this.#pages.shift()
        if (page) {
          this.#release()
          yield page
        } else if (this.#ended) break
        else await new Promise<void>(resolve => (this.#onPage = resolve))
      }
      await report
    } finally {
      this.#hasReader = false
      this.#pages = []
      this.#release()
      stop()
    }
  }

  #release(): void {
    const waiting = this.#onRoom
    this.#onRoom = []
    for (const resume of waiting) resume()
  }
}
