/**
 * The turns of one robots procedure. Its attempts on a site count as one request: the turn is held from the first to the
 * last, and the delay runs from there. A hop to another site gives the turn back before it waits for that one's.
 */
import type { FetchResult } from '../fetch/index.js'
import type { RobotsTurns } from '../manners/index.js'
import type { Clock, Millis } from '../model/clock.js'
import { type Site, siteOf } from '../model/url.js'
import type { LaneManners } from './lane-manners.js'
import type { Pause, SitePace } from './site-pace.js'
import type { Turns } from './turns.js'

export interface ProcedureTurnsParts {
  readonly clock: Clock
  readonly turns: Pick<Turns, 'visit' | 'close'>
  readonly manners: Pick<LaneManners, 'oneMore' | 'afterRobots'>
  readonly pause: Pause
  /** A turn farther off is not waited for. */
  readonly maxWaitMs: Millis
}

/** A turn that another agent holds is asked for again after this. */
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
    if (turn === true && !isFirst) await this.#parts.manners.oneMore()
    return turn
  }

  after(result: FetchResult): void {
    this.#pauseAfter = this.#parts.manners.afterRobots(result)
  }

  async #turnOf(site: Site): Promise<true | Millis> {
    if (this.#held?.site === site) return true
    this.done()
    const { clock, turns, pause, maxWaitMs } = this.#parts
    const pace = site === this.#own.site ? this.#own.pace : await turns.visit(site)
    const now = clock.now()
    if (pace === null) return now + HELD_ELSEWHERE_MS
    const at = pace.expectedAt(now)
    const hasTurn = at - now <= maxWaitMs && (await pace.turn(pause))
    if (hasTurn) this.#held = { site, pace }
    else if (pace !== this.#own.pace) turns.close(pace)
    return hasTurn || at
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
