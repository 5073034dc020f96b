/**
 * Receives the packs of agents that do not see the store while this process coordinates. The packs under each
 * seat go to files of their own.
 */

import { hostname } from 'node:os'
import { PackServer } from '../../cluster/transfer/index.js'
import type { Incarnation, SeatStatus } from '../../ledger/index.js'
import { loadZstd } from '../../model/bytes/index.js'
import { type Epoch, sleep } from '../../model/index.js'
import { readRecord } from '../directory/index.js'
import { PACK_ENDPOINT_CLOSING_MS, PACK_ENDPOINT_LOOK_MS } from '../limits.js'
import { readTableBytes } from '../routing/index.js'
import type { CoordinatorRuntimeParts } from './coordinator-runtime.js'

/** The host and port on which the server listens; agents connect to the same host. */
export interface ListenPlace {
  readonly host: string
  readonly port: number
}

interface PackEndpointParts
  extends Pick<
    CoordinatorRuntimeParts,
    'platform' | 'directory' | 'name' | 'config' | 'ledger' | 'worker' | 'log' | 'listen'
  > {
  readonly isSeated: (seat: Epoch) => boolean
}

/** The default: agents of the same machine only. */
export const OWN_MACHINE: ListenPlace = { host: '127.0.0.1', port: 0 }
/** File numbers reserved for one incarnation under one seat. */
const FILES_PER_SEAT = 100_000
const ANYWHERE = /^(?:0\.0\.0\.0|::)$/

export class PackEndpoint {
  readonly #parts: PackEndpointParts
  #server: PackServer | null = null

  constructor(parts: PackEndpointParts) {
    this.#parts = parts
  }

  /** Null while packs cannot be sent here. */
  get place(): SeatStatus['place'] {
    const { host } = this.#parts.listen
    if (!this.#server) return null
    return { machine: hostname(), host: ANYWHERE.test(host) ? hostname() : host, port: this.#server.port }
  }

  /** Opens under a new seat. A failure is only logged: agents that see the store do not need the endpoint. */
  async open(seat: Epoch): Promise<void> {
    const { platform, directory, name: crawl, config, ledger, worker, log, listen, isSeated } = this.#parts
    await this.close()
    if (config.ledger === undefined) return
    if (config.archive.startsWith('zstd')) await loadZstd()
    const token = (await readRecord(ledger))?.token ?? ''
    if (token === '') return
    const firstNumber = seat * FILES_PER_SEAT
    const serve = (port: number) =>
      PackServer.listen({
        ledger,
        clock: platform.clock,
        token,
        listen: { host: listen.host, port },
        isSeated: () => isSeated(seat),
        openStore: incarnation =>
          platform.openStore({ directory, crawl, config, incarnation, worker, firstNumber }),
        routing: () => readTableBytes(directory),
        onProblem: problem => log.warn(problem),
      })
    try {
      // A frozen process may still hold the port; agents learn our port from the ledger.
      this.#server = await serve(listen.port).catch(() => serve(0))
    } catch (error) {
      log.warn('agents without the store cannot send packs here', { error: (error as Error).message })
    }
  }

  isOpen(incarnation: Incarnation): boolean {
    return this.#server?.isOpen(incarnation) ?? false
  }

  /** Closes the files of incarnations that are closed in the ledger. */
  async abandon(incarnations: readonly Incarnation[]): Promise<void> {
    for (const incarnation of incarnations) await this.#server?.abandon(incarnation)
  }

  /** Waits a few seconds for agents that have ended to close their files. */
  async drain(): Promise<void> {
    const { clock } = this.#parts.platform
    const until = clock.monotonic() + PACK_ENDPOINT_CLOSING_MS
    while ((this.#server?.openIncarnations ?? 0) > 0 && clock.monotonic() < until)
      await sleep(clock, PACK_ENDPOINT_LOOK_MS)
    await this.close()
  }

  async close(): Promise<void> {
    const server = this.#server
    this.#server = null
    await server?.close()
  }
}
