/** Which sites in hand go back because others wait for the turn of their group. */
import type { CellId, Clock, GroupId, Millis } from '../../../model/index.js'
import { KEEP_MS, TurnDemand } from '../../../page/politeness/index.js'
import type { SiteCrawl } from '../site/index.js'

/**
 * A cell of a split site keeps the turn at least so long, and so many times as long as it took to rebuild.
 */
const LEAST_KEEP_MS = 1_000
const REBUILDS_KEPT = 20

export class TurnHandOver {
  readonly #passing: TurnDemand
  readonly #sites: () => ReadonlyMap<CellId, SiteCrawl>
  readonly #giveBack: (which: (site: SiteCrawl) => boolean) => void

  constructor(
    clock: Clock,
    sites: () => ReadonlyMap<CellId, SiteCrawl>,
    giveBack: (which: (site: SiteCrawl) => boolean) => void,
  ) {
    this.#passing = new TurnDemand(clock)
    this.#sites = sites
    this.#giveBack = giveBack
  }

  /** Others want these turns: those that have been kept for long enough are passed on. */
  wanted(groups: readonly GroupId[]): void {
    const ours = groups.filter(group => this.#hasSiteOf(group))
    const due = this.#passing.due(ours, group => this.#keepMsOf(group))
    if (due.size > 0) this.#giveBack(({ pace }) => pace.groups.some(({ id }) => due.has(id)))
  }

  isPassedOn(group: GroupId): boolean {
    return this.#passing.isPassedOn(group)
  }

  #hasSiteOf(group: GroupId): boolean {
    for (const { pace } of this.#sites().values()) if (pace.groups.some(({ id }) => id === group)) return true
    return false
  }

  /** Cells of a split site are meant to take turns: each for as long as its rebuild is worth. */
  #keepMsOf(group: GroupId): Millis {
    let keepMs = KEEP_MS
    for (const { cell, site, pace, rebuildMs } of this.#sites().values()) {
      if (cell === site || !pace.groups.some(({ id }) => id === group)) continue
      keepMs = Math.min(keepMs, Math.max(LEAST_KEEP_MS, REBUILDS_KEPT * rebuildMs))
    }
    return keepMs
  }
}
