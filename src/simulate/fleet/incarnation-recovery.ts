/**
 * Closes incarnations that have been silent for too long, and only then truncates their files to their
 * committed length.
 */
import type { Incarnation, Ledger } from '../../ledger/index.js'
import type { Millis } from '../../model/index.js'
import type { Checker } from '../check/index.js'
import type { Mutation } from '../faults/index.js'
import { LEASE_MS, SILENCE_MS } from '../faults/index.js'
import type { VirtualTime } from '../machines/index.js'
import { EPOCH_MS } from '../machines/index.js'
import type { Disk } from '../ports/index.js'

const ROUND_MS = LEASE_MS / 2
/** Most incarnations closed in a round: after a long outage all of a thousand agents look dead. */
const MOST_CLOSED = 5

interface Parts {
  readonly time: VirtualTime
  readonly ledger: Ledger
  readonly disk: Disk
  readonly checker: Checker
  readonly mutation: Mutation | undefined
}

export class IncarnationRecovery {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
    parts.time.after(ROUND_MS, () => void this.#round())
  }

  /** Closes an incarnation: from now on it can commit nothing. */
  async close(incarnation: Incarnation): Promise<void> {
    const { ledger, checker } = this.#parts
    await ledger.leave(incarnation)
    checker.called('leave', [incarnation], undefined)
    await this.recover(incarnation)
  }

  async #round(): Promise<void> {
    const { time, ledger, mutation } = this.#parts
    const now = EPOCH_MS + time.now
    let closed = 0
    for (const { incarnation, heartbeatAt } of await ledger.agents()) {
      const silentMs: Millis = now - heartbeatAt
      if (silentMs > SILENCE_MS && ++closed <= MOST_CLOSED) await this.close(incarnation)
      // The mistake: files are truncated although their writer may still be running.
      else if (mutation === 'orphans-of-the-living') await this.recover(incarnation)
    }
    time.after(mutation === 'orphans-of-the-living' ? 1_000 : ROUND_MS, () => void this.#round())
  }

  /** Truncates the files of an incarnation, which must be closed. */
  async recover(incarnation: Incarnation): Promise<void> {
    const { ledger, disk, mutation } = this.#parts
    const files = (await ledger.files()).filter(file => file.incarnation === incarnation)
    const committed = new Map(files.map(({ name, bytes }) => [name, bytes]))
    disk.recover(incarnation, committed, mutation === 'cut-in-place' ? 'same' : 'new')
  }
}
