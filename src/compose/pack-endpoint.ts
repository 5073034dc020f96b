/**
 * Takes the packs of agents that do not see the store, while this process coordinates; under every seat in
 * files of its own.
 */
import { hostname } from 'node:os'
import { PackServer } from '../cluster/transfer/index.js'
import type { CrawlConfig } from '../config/index.js'
import type { Incarnation, Ledger, SeatStatus } from '../ledger/index.js'
import { loadZstd } from '../model/bytes/index.js'
import { type Epoch, type Millis, sleep } from '../model/index.js'
import { readTableBytes } from '../runtime/index.js'
import { readRecord } from './crawl-record.js'
import type { Log } from './log.js'
import { openDirectoryStore } from './open-store.js'
import type { StoreWorker } from './store-worker.js'
import { systemClock as clock } from './system-clock.js'

/** Where the server listens, and what others call it. */
export interface ListenPlace {
  readonly host: string
  readonly port: number
}

export interface PackEndpointParts {
  readonly directory: string
  /** Of the crawl. */
  readonly name: string
  readonly config: CrawlConfig
  readonly ledger: Ledger
  readonly worker: StoreWorker
  readonly log: Log
  readonly listen: ListenPlace
  readonly isSeated: (seat: Epoch) => boolean
}

/** Only agents of the same machine: nobody is let in from outside unless it is asked for. */
export const OWN_MACHINE: ListenPlace = { host: '127.0.0.1', port: 0 }
/** Files of one incarnation under one seat. */
const FILES_PER_SEAT = 100_000
const CLOSING_MS: Millis = 5_000
const LOOK_MS: Millis = 50
const ANYWHERE = /^(?:0\.0\.0\.0|::)$/

export class PackEndpoint {
  readonly #parts: PackEndpointParts
  #server: PackServer | null = null

  constructor(parts: PackEndpointParts) {
    this.#parts = parts
  }

  /** Null while nobody can send anything here. */
  get place(): SeatStatus['place'] {
    const { host } = this.#parts.listen
    if (!this.#server) return null
    return { machine: hostname(), host: ANYWHERE.test(host) ? hostname() : host, port: this.#server.port }
  }

  /** Under a new seat. Agents that see the store can do without: what is wrong is told, and ends nothing. */
  async open(seat: Epoch): Promise<void> {
    const { directory, name: crawl, config, ledger, worker, log, listen, isSeated } = this.#parts
    await this.close()
    if (config.ledger === undefined) return
    if (config.archive.startsWith('zstd')) await loadZstd()
    const token = (await readRecord(ledger))?.token ?? ''
    if (token === '') return
    const firstNumber = seat * FILES_PER_SEAT
    const serve = (port: number) =>
      PackServer.listen({
        ledger,
        clock,
        token,
        listen: { host: listen.host, port },
        isSeated: () => isSeated(seat),
        openStore: incarnation =>
          openDirectoryStore({ directory, crawl, config, incarnation, worker, firstNumber }),
        routing: () => readTableBytes(directory),
        onProblem: problem => log.warn(problem),
      })
    try {
      // The port may be held by one that stood still: agents ask the ledger for ours.
      this.#server = await serve(listen.port).catch(() => serve(0))
    } catch (error) {
      log.warn('agents without the store cannot send packs here', { error: (error as Error).message })
    }
  }

  isOpen(incarnation: Incarnation): boolean {
    return this.#server?.isOpen(incarnation) ?? false
  }

  /** Lives that are over in the ledger. */
  async abandon(incarnations: readonly Incarnation[]): Promise<void> {
    for (const incarnation of incarnations) await this.#server?.abandon(incarnation)
  }

  /** The agents have ended: they close their files, and who does not is not waited for. */
  async drain(): Promise<void> {
    const until = clock.monotonic() + CLOSING_MS
    while ((this.#server?.openIncarnations ?? 0) > 0 && clock.monotonic() < until) await sleep(clock, LOOK_MS)
    await this.close()
  }

  async close(): Promise<void> {
    const server = this.#server
    this.#server = null
    await server?.close()
  }
}
