/** Fetches robots.txt, and its redirects, only in the windows of the shard and the host. */

import { eitherOf, type StopSignal } from '../../model/index.js'
import { siteOf } from '../../model/url/index.js'
import type { Fetcher, FetchRequest, FetchResult } from '../fetch/index.js'
import { BegunRequest, type PhaseGates } from './phase-gates.js'

export class PhasedFetcher implements Pick<Fetcher, 'fetch' | 'resolve'> {
  readonly #fetcher: Pick<Fetcher, 'fetch' | 'resolve'>
  readonly #gates: PhaseGates
  readonly #shard: number
  /**
   * The last request was not sent, or aborted before the server had time to answer, so it says nothing about
   * the site.
   */
  wasCut = false

  constructor(fetcher: Pick<Fetcher, 'fetch' | 'resolve'>, gates: PhaseGates, shard: number) {
    this.#fetcher = fetcher
    this.#gates = gates
    this.#shard = shard
  }

  async fetch(request: FetchRequest, signal: StopSignal): Promise<FetchResult> {
    const phase = this.#gates.phaseOf(siteOf(request.url))
    const until = this.#gates.signal
    const begun = new BegunRequest(this.#gates, () => this.#gates.isOpen(phase, this.#shard))
    const mayBegin = () => begun.mayBegin()
    const either = eitherOf(signal, until)
    const result = await this.#fetcher.fetch({ ...request, mayBegin }, either.signal)
    either.dispose()
    const { isBegun, wasFair } = begun
    this.wasCut = !result.ok && !result.exchange && (!isBegun || (until.aborted && !wasFair))
    if (result.ok || !until.aborted || !wasFair) return result
    return { ok: false, code: 'HEADERS_TOO_SLOW', detail: 'no answer before the phase ended' }
  }

  resolve(host: string): Promise<readonly string[]> {
    return this.#fetcher.resolve(host)
  }
}
