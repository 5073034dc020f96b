/**
 * The turns of one robots procedure. Its attempts on a site count as one request: the turn is held from the
 * first to the last, and the delay runs from there. A hop to another site gives the turn back before it waits
 * for that one's.
 */

import { type Clock, type GroupId, type Millis, sleep } from '../../../model/index.js'
import { type Site, siteOf } from '../../../model/url/index.js'
import type { FetchResult } from '../../../page/fetch/index.js'
import type { Pause, SitePace, Turns } from '../../../page/politeness/index.js'
import type { RobotsTurns } from '../../../page/robots/index.js'
import type { LanePoliteness } from './lane-politeness.js'

export interface ProcedureTurnsParts {
  readonly clock: Clock
  readonly turns: Pick<Turns, 'borrow' | 'close' | 'groupsOf'>
  /** Of the cell whose site is asked; counts only under `phases`. */
  readonly shard?: number
  readonly politeness: Pick<LanePoliteness, 'oneMore' | 'afterRobots'>
  readonly pause: Pause
  /** A turn farther off is not waited for. */
  readonly maxWaitMs: Millis
  /** Says to all that these turns are needed for one request: who holds one passes it on. */
  readonly announce: (groups: readonly GroupId[]) => void
  /** What is to be waited long for, without a lane. */
  readonly farOff: <T>(wait: Promise<T>) => Promise<T>
  /** True when there is nothing to wait for any more: the site is left, or the agent stops. */
  readonly isOver: () => boolean
}

/** A turn that another agent holds is asked for again after this. */
const LOOK_MS = 1_000
/** And when it could not be had in all the time there is, the whole procedure after this. */
const HELD_ELSEWHERE_MS = 30_000

export class ProcedureTurns implements RobotsTurns {
  readonly #parts: ProcedureTurnsParts
  readonly #own: { readonly site: Site; readonly pace: SitePace }
  /** Whose turn is held. */
  #held: { readonly site: Site; readonly pace: SitePace } | null
  #pauseAfter: Pause
  /** The total rate has been asked for the first attempt already. */
  #isFirst = true

  /** The turn of `site` has been taken already. */
  constructor(parts: ProcedureTurnsParts, site: Site, pace: SitePace) {
    this.#parts = parts
    this.#own = { site, pace }
    this.#held = this.#own
    this.#pauseAfter = parts.pause
  }

  before(url: string): true | Promise<true | Millis> {
    const site = siteOf(url)
    const isFirst = this.#isFirst
    this.#isFirst = false
    if (isFirst && this.#held?.site === site) return true
    return this.#wait(site, isFirst)
  }

  async #wait(site: Site, isFirst: boolean): Promise<true | Millis> {
    const turn = await this.#turnOf(site)
    if (turn === true && !isFirst) await this.#parts.politeness.oneMore()
    return turn
  }

  after(result: FetchResult): void {
    this.#pauseAfter = this.#parts.politeness.afterRobots(result)
  }

  async #turnOf(site: Site): Promise<true | Millis> {
    if (this.#held?.site === site && !this.#held.pace.isShut) return true
    this.done()
    const { clock, turns, pause, maxWaitMs, farOff } = this.#parts
    const pace = site === this.#own.site ? this.#own.pace : await this.#borrow(site)
    const now = clock.now()
    if (pace === null) return now + HELD_ELSEWHERE_MS
    const at = pace.expectedAt(now)
    const turn = () => (pace.isShut ? farOff(pace.turn(pause)) : pace.turn(pause))
    const hasTurn = at - now <= maxWaitMs && (await turn())
    if (hasTurn) this.#held = { site, pace }
    else if (pace !== this.#own.pace) turns.close(pace)
    return hasTurn || at
  }

  /** Null when another agent has held the turn all the time. None is held meanwhile. */
  async #borrow(site: Site): Promise<SitePace | null> {
    const { clock, turns, maxWaitMs, farOff } = this.#parts
    const pace = await turns.borrow(site, this.#parts.shard)
    return pace ?? farOff(this.#visitLater(site, clock.monotonic() + maxWaitMs))
  }

  async #visitLater(site: Site, until: Millis): Promise<SitePace | null> {
    const { clock, turns, announce, isOver } = this.#parts
    const groups = await turns.groupsOf(site)
    while (!isOver() && clock.monotonic() < until) {
      announce(groups)
      await sleep(clock, LOOK_MS)
      const pace = isOver() ? null : await turns.borrow(site, this.#parts.shard)
      if (pace !== null) return pace
    }
    return null
  }

  /** Gives the turn back; the delay runs from now. */
  done(): void {
    const held = this.#held
    this.#held = null
    if (held === null) return
    const { turns, pause } = this.#parts
    held.pace.done(pause, this.#pauseAfter)
    if (held.pace !== this.#own.pace) turns.close(held.pace)
  }
}
