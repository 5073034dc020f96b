/**
 * The turns of one robots procedure. Its requests to a site count as one: it holds the turn from the first to
 * the last, and the delay counts from the last. Before a redirect to another site waits for that site's turn,
 * the procedure releases its own.
 */

import { type Clock, type GroupId, type Millis, sleep } from '../../../model/index.js'
import { type Site, siteOf } from '../../../model/url/index.js'
import type { FetchResult } from '../../../page/fetch/index.js'
import type { Pause, SitePace, Turns } from '../../../page/politeness/index.js'
import type { RobotsTurns } from '../../../page/robots/index.js'
import { HELD_ELSEWHERE_MS, PROCEDURE_TURNS_LOOK_MS } from '../../limits.js'
import type { LanePoliteness } from './lane-politeness.js'

export interface ProcedureTurnsParts {
  readonly clock: Clock
  readonly turns: Pick<Turns, 'borrow' | 'close' | 'groupsOf'>
  /** The shard of the cell, under `phases`. */
  readonly shard?: number
  readonly politeness: Pick<LanePoliteness, 'oneMore' | 'afterRobots'>
  readonly pause: Pause
  /** True if no server is asked for a URL (`--source`): it needs no turn. */
  readonly isLocal: (url: string) => boolean
  /** The longest wait for a turn. */
  readonly maxWaitMs: Millis
  /** Tells all agents that these turns are needed for one request: their holders pass them on. */
  readonly announce: (groups: readonly GroupId[]) => void
  /** Waits without a lane. */
  readonly farOff: <T>(wait: Promise<T>) => Promise<T>
  /** True if the site is left or the agent stops. */
  readonly isOver: () => boolean
}

export class ProcedureTurns implements RobotsTurns {
  readonly #parts: ProcedureTurnsParts
  readonly #own: { readonly site: Site; readonly pace: SitePace }
  /** The site whose turn is held. */
  #held: { readonly site: Site; readonly pace: SitePace } | null
  #pauseAfter: Pause
  /** The first request has passed the limit of the total rate already. */
  #isFirst: boolean

  /** `hasTurn`: the caller holds the turn of `site`. */
  constructor(parts: ProcedureTurnsParts, site: Site, pace: SitePace, hasTurn = true) {
    this.#parts = parts
    this.#own = { site, pace }
    this.#held = hasTurn ? this.#own : null
    this.#isFirst = hasTurn
    this.#pauseAfter = parts.pause
  }

  before(url: string): true | Promise<true | Millis> {
    if (this.#parts.isLocal(url)) return true
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

  /** Null if another agent held the turn all the time. The procedure holds no turn meanwhile. */
  async #borrow(site: Site): Promise<SitePace | null> {
    const { clock, turns, maxWaitMs, farOff } = this.#parts
    const pace = await turns.borrow(site, this.#parts.shard)
    return pace ?? farOff(this.#borrowLater(site, clock.monotonic() + maxWaitMs))
  }

  async #borrowLater(site: Site, until: Millis): Promise<SitePace | null> {
    const { clock, turns, announce, isOver } = this.#parts
    const groups = await turns.groupsOf(site)
    while (!isOver() && clock.monotonic() < until) {
      announce(groups)
      await sleep(clock, PROCEDURE_TURNS_LOOK_MS)
      const pace = isOver() ? null : await turns.borrow(site, this.#parts.shard)
      if (pace !== null) return pace
    }
    return null
  }

  /** Releases the turn; the delay counts from now. */
  done(): void {
    const held = this.#held
    this.#held = null
    if (held === null) return
    const { turns, pause } = this.#parts
    held.pace.done(pause, this.#pauseAfter)
    if (held.pace !== this.#own.pace) turns.close(held.pace)
  }
}
