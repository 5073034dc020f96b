/**
 * Decides when one cell may send requests to its site. The first request after a swap waits the full delay,
 * because only the previous node knows its last request. What other nodes have learned about the site
 * (Retry-After, pauses) is read from the ledger at the start of each window.
 */

import { type Millis, ownTurn, type StopSignal } from '../../model/index.js'
import type { Site } from '../../model/url/index.js'
import { PHASE_GATE_LOOK_MS } from '../limits.js'
import type { GroupPace } from './group-pace.js'
import type { PhaseGates, PhaseGatesParts } from './phase-gates.js'
import type { PhaseWindow } from './phases/index.js'
import type { Pause } from './site-pace.js'

export class PhaseGate {
  /** A read or write of the ledger that the next request waits for. */
  pending: Promise<void> | null = null
  /** Receives the wait that other nodes have stored. */
  onWait: (until: Millis) => void = () => {}
  readonly shard: number
  readonly gates: PhaseGates
  readonly #parts: Pick<PhaseGatesParts, 'ledger' | 'onFailure'>
  readonly #site: Site
  readonly #phase: number
  readonly #groups: readonly GroupPace[]
  /** The last window seen, and what was done in it. */
  #window = Number.NEGATIVE_INFINITY
  #hasAsked = false
  #isReserved = false
  /** The longest pause that the ledger knows. */
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

  get signal(): StopSignal {
    return this.gates.signal
  }

  /** True while a request may begin in the window in which its turn was taken. */
  readonly mayBegin = (): boolean => {
    const at = this.gates.now()
    if (at === null) return false
    const { number, opensAt } = this.gates.windowOf(this.#phase, this.shard, at)
    return number === this.#window && opensAt <= at
  }

  get isShut(): boolean {
    return !this.gates.isOpen(this.#phase, this.shard)
  }

  /** Time until the window opens. */
  opensInMs(): Millis {
    const at = this.gates.now()
    return at === null
      ? PHASE_GATE_LOOK_MS
      : Math.max(0, this.gates.windowOf(this.#phase, this.shard, at).opensAt - at)
  }

  /** Why it is shut, for display. */
  get reason(): string {
    if (this.gates.now() === null) return 'the time of the ledger is not known for certain'
    const { phases, periodMs } = this.gates.plan
    return `its node's turn, every ${seconds(phases * periodMs)} for ${seconds(periodMs)}, see --phases period`
  }

  /** The time to wait; 0 if there is nothing to wait for except `pending`. */
  waitMs(pause: Pause): Millis {
    const at = this.gates.now()
    if (at === null) return PHASE_GATE_LOOK_MS
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
    const { slowMs } = this.gates
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
   * For a pause longer than a window: before the request, the ledger learns until when other nodes must wait,
   * however long the request takes.
   */
  async #reserve({ endsAt }: PhaseWindow, ownMs: Millis, groupMs: Millis): Promise<void> {
    const { ledger } = this.#parts
    // This agent stops earlier by its own clock, but by the ledger's clock the window may last until the
    // swap.
    const rows = [ledger.saveWait(ownTurn(this.#site), endsAt + ownMs, ownMs)]
    if (groupMs > this.gates.slowMs)
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
