/**
 * Fetches only while the leases hold. Their signal is not enough, because a timer sets it: in a process that
 * was suspended, a new connection may be reported before that timer fires.
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
