/**
 * When one cell may ask its site. The first request after a swap waits the full delay: who asked last, and
 * when, only that node knows. What other nodes have learned of the site (Retry-After, pauses) is read at the
 * beginning of each window.
 */

import { type Millis, ownTurn, type StopSignal } from '../../model/index.js'
import type { Site } from '../../model/url/index.js'
import type { GroupPace } from './group-pace.js'
import type { PhaseGates, PhaseGatesParts } from './phase-gates.js'
import type { PhaseWindow } from './phases/index.js'
import type { Pause } from './site-pace.js'

/** While the time is not known for certain, it is looked at this often. */
const LOOK_MS = 250

export class PhaseGate {
  /** Something that the ledger has to say, or to know, before the next request. */
  pending: Promise<void> | null = null
  /** What others have learned of the site: told when it is read. */
  onWait: (until: Millis) => void = () => {}
  readonly shard: number
  readonly gates: PhaseGates
  readonly #parts: Pick<PhaseGatesParts, 'ledger' | 'onFailure'>
  readonly #site: Site
  readonly #phase: number
  readonly #groups: readonly GroupPace[]
  /** The window that was met last, and what has been done in it. */
  #window = Number.NEGATIVE_INFINITY
  #hasAsked = false
  #isReserved = false
  /** The longest pause that the ledger knows of. */
  #knownMs: Millis = 0

  constructor(
    gates: PhaseGates,
    parts: Pick<PhaseGatesParts, 'ledger' | 'onFailure'>,
    site: Site,
    shard: number,
    groups: readonly GroupPace[],
  ) {
    this.gates = gates
    this.#parts = parts
    this.#site = site
    this.#phase = gates.phaseOf(site)
    this.shard = shard
    this.#groups = groups
  }

  get slowMs(): Millis {
    return this.gates.slowMs
  }

  get signal(): StopSignal {
    return this.gates.signal
  }

  /** True while a request may begin, in the window in which its turn was taken. */
  readonly mayBegin = (): boolean => {
    const at = this.gates.now()
    if (at === null) return false
    const { number, opensAt } = this.gates.windowOf(this.#phase, this.shard, at)
    return number === this.#window && opensAt <= at
  }

  get isShut(): boolean {
    return !this.gates.isOpen(this.#phase, this.shard)
  }

  /** Until the window opens. */
  opensInMs(): Millis {
    const at = this.gates.now()
    return at === null ? LOOK_MS : Math.max(0, this.gates.windowOf(this.#phase, this.shard, at).opensAt - at)
  }

  /** Why it is shut, for people. */
  get reason(): string {
    if (this.gates.now() === null) return 'the time of the ledger is not known for certain'
    const { phases, periodMs } = this.gates.plan
    return `its node's turn, every ${seconds(phases * periodMs)} for ${seconds(periodMs)}, see --phases period`
  }

  /** How long to wait; 0 when there is nothing to wait for but `pending`. */
  waitMs(pause: Pause): Millis {
    const at = this.gates.now()
    if (at === null) return LOOK_MS
    const window = this.gates.windowOf(this.#phase, this.shard, at)
    if (at < window.opensAt) return window.opensAt - at
    if (this.pending !== null) return 0
    if (window.number !== this.#window) {
      this.#window = window.number
      this.#hasAsked = false
      this.#isReserved = false
      this.pending = this.#settle(this.#learn())
      return 0
    }
    return this.#pauseMs(at, window, pause)
  }

  #pauseMs(at: Millis, window: PhaseWindow, pause: Pause): Millis {
    const { slowMs } = this
    const ownMs = Math.max(pause.ownMs, this.#knownMs)
    const from = window.opensAt + Math.min(ownMs, slowMs)
    if (!this.#hasAsked && at < from && this.gates.waitsAfterSwap) return from - at
    if (ownMs > slowMs && !this.#isReserved) {
      this.#isReserved = true
      this.pending = this.#settle(this.#reserve(window, ownMs, pause.groupMs))
    }
    return 0
  }

  took(): void {
    this.#hasAsked = true
  }

  async #learn(): Promise<void> {
    const groups = [ownTurn(this.#site), ...this.#groups.map(({ id }) => id)]
    const [own, ...shared] = await this.#parts.ledger.waits(groups)
    this.#knownMs = own.delayMs
    this.onWait(own.nextAllowed)
    for (const [i, { nextAllowed }] of shared.entries()) this.#groups[i].postpone(nextAllowed)
  }

  /**
   * A pause that does not fit into a window: before the site is asked the ledger knows until when others must
   * not, however long the request takes.
   */
  async #reserve({ endsAt }: PhaseWindow, ownMs: Millis, groupMs: Millis): Promise<void> {
    const { ledger } = this.#parts
    // We stop earlier by our clock; by the ledger's it may be the swap.
    const rows = [ledger.saveWait(ownTurn(this.#site), endsAt + ownMs, ownMs)]
    if (groupMs > this.slowMs)
      for (const { id } of this.#groups) rows.push(ledger.saveWait(id, endsAt + groupMs, groupMs))
    await Promise.all(rows)
  }

  #settle(task: Promise<void>): Promise<void> {
    const settled = task.catch(this.#parts.onFailure).then(() => {
      if (this.pending === settled) this.pending = null
    })
    return settled
  }
}

function seconds(ms: Millis): string {
  return `${Number((ms / 1000).toFixed(1))} s`
}
