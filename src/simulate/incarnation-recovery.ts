/**
 * Somebody with the ledger at hand who looks after the dead: closes incarnations that have been silent for
 * long, and then, not before, cuts their files back to what was committed.
 */
import type { Incarnation, Ledger } from '../ledger/index.js'
import type { Millis } from '../model/index.js'
import type { Checker } from './checker.js'
import type { Disk } from './disk.js'
import { LEASE_MS, SILENCE_MS } from './faults.js'
import { EPOCH_MS } from './machine.js'
import type { Mutation } from './mutations.js'
import type { VirtualTime } from './virtual-time.js'

const ROUND_MS = LEASE_MS / 2
/**
 * Lives it closes in a round: after a long outage all look dead, and a thousand closed at once are no test of
 * anything more.
 */
const MOST_CLOSED = 5

export interface IncarnationRecoveryParts {
  readonly time: VirtualTime
  readonly ledger: Ledger
  readonly disk: Disk
  readonly checker: Checker
  readonly mutation: Mutation | undefined
}

export class IncarnationRecovery {
  readonly #parts: IncarnationRecoveryParts

  constructor(parts: IncarnationRecoveryParts) {
    this.#parts = parts
    parts.time.after(ROUND_MS, () => void this.#round())
  }

  /** An incarnation has ended for certain, or is taken for dead: nothing more can be committed by it. */
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
      // The rule broken: what looks like an orphan goes, whoever may still write to it.
      else if (mutation === 'orphans-of-the-living') await this.recover(incarnation)
    }
    time.after(mutation === 'orphans-of-the-living' ? 1_000 : ROUND_MS, () => void this.#round())
  }

  /** Only for incarnations that are closed. */
  async recover(incarnation: Incarnation): Promise<void> {
    const { ledger, disk, mutation } = this.#parts
    const files = (await ledger.files()).filter(file => file.incarnation === incarnation)
    const committed = new Map(files.map(({ name, bytes }) => [name, bytes]))
    disk.recover(incarnation, committed, mutation === 'cut-in-place' ? 'same' : 'new')
  }
}
