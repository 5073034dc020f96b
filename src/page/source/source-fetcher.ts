/** The fetcher of a crawl with `--source`: passes each request to the source of its URL. */
import type { Source } from '../../config/index.js'
import type { StopSignal } from '../../model/index.js'
import type { Fetcher, FetchRequest, FetchResult } from '../fetch/index.js'
import type { SourceTable } from './source-table.js'

interface SourceFetcherParts {
  readonly table: SourceTable
  /** For URLs without a source. */
  readonly server: Fetcher
  /** Opens a source when its first URL is requested. */
  readonly open: (source: Source) => Fetcher
}

export class SourceFetcher implements Fetcher {
  readonly #parts: SourceFetcherParts
  readonly #opened = new Map<Source, Fetcher>()
  #connections: readonly [total: number, perSite: number] | null = null
  #closed = false

  constructor(parts: SourceFetcherParts) {
    this.#parts = parts
  }

  fetch(request: FetchRequest, signal: StopSignal): Promise<FetchResult> {
    const source = this.#parts.table.find(request.url)
    if (source === null) return this.#parts.server.fetch(request, signal)
    // The address is one of the site's own; only a robots procedure has one.
    const asked = request.address === undefined ? request : { ...request, address: undefined }
    return this.#open(source).fetch(asked, signal)
  }

  async resolve(host: string): Promise<readonly string[]> {
    return this.#parts.table.coversHost(host) ? [] : this.#parts.server.resolve(host)
  }

  setConnections(total: number, perSite: number): void {
    this.#connections = [total, perSite]
    this.#parts.server.setConnections(total, perSite)
    for (const fetcher of this.#opened.values()) fetcher.setConnections(total, perSite)
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#parts.server, ...this.#opened.values()].map(fetcher => fetcher.close()))
  }

  #open(source: Source): Fetcher {
    const known = this.#opened.get(source)
    if (known !== undefined || this.#closed) return known ?? this.#parts.server
    const fetcher = this.#parts.open(source)
    if (this.#connections !== null) fetcher.setConnections(...this.#connections)
    this.#opened.set(source, fetcher)
    return fetcher
  }
}
