/**
 * Fetches only while the leases last. A signal alone does not see to that: it is set off by a timer, and
 * after a process stood still, a connection that was made meanwhile is heard of before the timer is.
 */

import type { StopSignal } from '../../model/index.js'
import type { Fetcher, FetchRequest, FetchResult } from '../fetch/index.js'
import type { LeaseMargin } from './lease-margin.js'

export class LeasedFetcher implements Fetcher {
  readonly #fetcher: Fetcher
  readonly #mayBegin: () => boolean

  constructor(fetcher: Fetcher, leaseMargin: LeaseMargin) {
    this.#fetcher = fetcher
    this.#mayBegin = () => leaseMargin.holds
  }

  fetch(request: FetchRequest, signal: StopSignal): Promise<FetchResult> {
    const { url, known, types, address, bodyBytes, holdsBody, mayBegin = this.#mayBegin } = request
    return this.#fetcher.fetch({ url, known, types, address, bodyBytes, mayBegin, holdsBody }, signal)
  }

  resolve(host: string): Promise<readonly string[]> {
    return this.#fetcher.resolve(host)
  }

  setConnections(total: number, perSite: number): void {
    this.#fetcher.setConnections(total, perSite)
  }

  close(): Promise<void> {
    return this.#fetcher.close()
  }
}
