/** Cuts the files of all ended incarnations to what the ledger has committed, and records damage. */

import type { CrawlConfig } from '../../config/index.js'
import type { Incarnation, Ledger } from '../../ledger/index.js'
import { type Clock, sleep } from '../../model/index.js'
import { FILE_RECOVERY_CLOSING_MS, FILE_RECOVERY_LOOK_MS } from '../limits.js'
import { hasOpenFiles, type RecoverySummary, recoverDirectory } from './recovery.js'

export interface FileRecoveryParts {
  readonly directory: string
  /** The name of the crawl. */
  readonly name: string
  readonly config: CrawlConfig
  readonly ledger: Ledger
  readonly clock: Clock
  /** Whether this process may still write to its files. */
  readonly isAlive: (incarnation: Incarnation) => boolean
}

export class FileRecovery {
  readonly #parts: FileRecoveryParts
  readonly #damaged = new Set<string>()

  constructor(parts: FileRecoveryParts) {
    this.#parts = parts
  }

  /** One line for each file of which committed bytes are gone. */
  get damaged(): readonly string[] {
    return [...this.#damaged]
  }

  async recover(): Promise<RecoverySummary> {
    const { directory, name, config, ledger, isAlive } = this.#parts
    // The directory's lock does not keep agents of other processes out.
    const holder = config.ledger === undefined ? 'gone' : 'unknown'
    const recovered = await recoverDirectory(directory, name, ledger, isAlive, holder)
    for (const line of recovered.damaged) this.#damaged.add(line)
    return recovered
  }

  /** Waits first: agents that have just ended close their files themselves if they can. */
  async recoverLast(): Promise<void> {
    const { clock } = this.#parts
    const until = clock.monotonic() + FILE_RECOVERY_CLOSING_MS
    while (hasOpenFiles(this.#parts.directory) && clock.monotonic() < until)
      await sleep(clock, FILE_RECOVERY_LOOK_MS)
    await this.recover()
  }
}
