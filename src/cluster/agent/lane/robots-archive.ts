/** Archives the responses of robots procedures in the packs of their sites. They are rows of no table. */
import type { Exchange, StopSignal } from '../../../model/index.js'
import type { Transmitter } from '../pack/index.js'
import type { PageFaults, SiteCrawl } from '../site/index.js'
import { NO_CONTENT } from './content.js'
import { rowOf } from './outcome-row.js'

type Room = Pick<Transmitter, 'hasRoom' | 'shipped' | 'pack'>

export class RobotsArchive {
  readonly #transmitter: Room
  readonly #faults: PageFaults
  readonly #signal: StopSignal

  constructor(transmitter: Room, faults: PageFaults, signal: StopSignal) {
    this.#transmitter = transmitter
    this.#faults = faults
    this.#signal = signal
  }

  /** Waits for room in the pack. The rules of a response apply even if it cannot be archived. */
  async add(site: SiteCrawl, exchanges: readonly Exchange[]): Promise<void> {
    const transmitter = this.#transmitter
    while (!transmitter.hasRoom() && !this.#signal.aborted) await transmitter.shipped()
    if (site.lost || this.#signal.aborted) return
    for (const exchange of exchanges) {
      try {
        this.#addOne(site, exchange)
      } catch (error) {
        this.#faults.caught(exchange.url, error)
      }
    }
  }

  #addOne(site: SiteCrawl, exchange: Exchange): void {
    const { pack } = this.#transmitter
    const { url, status, startedAt } = exchange
    const code = status < 300 ? 'OK' : status < 400 ? 'REDIRECT' : 'HTTP_CLIENT_ERROR'
    const entry = { url, depth: 0, hops: 0, score: 0, via: '', attempt: 1 }
    const outcome = { code, detail: '', exchange, redirect: '' } as const
    const row = { ...rowOf(site.lane.number, entry, outcome, NO_CONTENT, startedAt), mime: 'text/plain' }
    pack.cellFor(site)
    pack.builder.add({ leaseKey: site.leaseKey, row, exchange, inTables: false })
  }
}
