/** Releases sites because other agents wait for the turn of their group. */

import type { Clock, GroupId, Millis } from '../../../model/index.js'
import { KEEP_MS, TurnDemand } from '../../../page/politeness/index.js'
import { TURN_HAND_OVER_LEAST_KEEP_MS } from '../../limits.js'
import type { CellRelease } from './cell-release.js'
import type { HeldCells } from './held-cells.js'

/**
 * A cell of a split site keeps the turn for this many times the duration of its rebuild, at least for
 * `TURN_HAND_OVER_LEAST_KEEP_MS` and at most for `KEEP_MS`.
 */
const REBUILDS_KEPT = 20

export class TurnHandOver {
  readonly #demand: TurnDemand
  readonly #heldCells: HeldCells
  readonly #release: CellRelease

  constructor(clock: Clock, heldCells: HeldCells, release: CellRelease) {
    this.#demand = new TurnDemand(clock)
    this.#heldCells = heldCells
    this.#release = release
  }

  /** Other agents need these turns: passes on those that were kept long enough. */
  wanted(groups: readonly GroupId[]): void {
    const ours = groups.filter(group => this.#hasSiteOf(group))
    const due = this.#demand.due(ours, group => this.#keepMsOf(group))
    if (due.size > 0) this.#release.release(({ pace }) => pace.groups.some(({ id }) => due.has(id)))
  }

  /** True if others are to have the turn of the group next. */
  isPassedOn(group: GroupId): boolean {
    return this.#demand.isPassedOn(group)
  }

  #hasSiteOf(group: GroupId): boolean {
    for (const { pace } of this.#heldCells.sites.values())
      if (pace.groups.some(({ id }) => id === group)) return true
    return false
  }

  /** Cells of a split site take turns, each for a time that is worth its rebuild. */
  #keepMsOf(group: GroupId): Millis {
    let keepMs = KEEP_MS
    for (const { cell, site, pace, rebuildMs } of this.#heldCells.sites.values()) {
      if (cell === site || !pace.groups.some(({ id }) => id === group)) continue
      keepMs = Math.min(keepMs, Math.max(TURN_HAND_OVER_LEAST_KEEP_MS, REBUILDS_KEPT * rebuildMs))
    }
    return keepMs
  }
}
