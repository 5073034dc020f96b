/**
 * Bodies of one robots procedure, which count as in flight until it is archived: that may have to wait for
 * room.
 */

import type { Exchange, StopSignal } from '../../../model/index.js'
import type { Fetcher, FetchRequest, FetchResult } from '../../../page/fetch/index.js'

export class HeldBodies implements Pick<Fetcher, 'fetch' | 'resolve'> {
  readonly #fetcher: Pick<Fetcher, 'fetch' | 'resolve'>
  readonly #exchanges: Exchange[] = []

  constructor(fetcher: Pick<Fetcher, 'fetch' | 'resolve'>) {
    this.#fetcher = fetcher
  }

  async fetch(request: FetchRequest, signal: StopSignal): Promise<FetchResult> {
    const result = await this.#fetcher.fetch({ ...request, holdsBody: true }, signal)
    if (result.exchange) this.#exchanges.push(result.exchange)
    return result
  }

  resolve(host: string): Promise<readonly string[]> {
    return this.#fetcher.resolve(host)
  }

  settle(): void {
    for (const exchange of this.#exchanges) exchange.settled?.()
  }
}
