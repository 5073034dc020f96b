/**
 * The turns of one robots procedure. Its attempts on a site count as one request: the turn is held from the first to the
 * last, and the delay runs from there. A hop to another site gives the turn back before it waits for that one's.
 */
import type { RobotsTurns } from '../manners/index.js'
import type { Clock, Millis } from '../model/clock.js'
import { type Site, siteOf } from '../model/url.js'
import type { Pause, SitePace } from './site-pace.js'
import type { Turns } from './turns.js'

export interface ProcedureTurnsParts {
  readonly clock: Clock
  readonly turns: Pick<Turns, 'visit' | 'close'>
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

  /** The turn of `site` has been taken already. */
  constructor(parts: ProcedureTurnsParts, site: Site, pace: SitePace) {
    this.#parts = parts
    this.#own = { site, pace }
    this.#held = this.#own
  }

  async before(url: string): Promise<true | Millis> {
    const site = siteOf(url)
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
    held.pace.done(pause, pause)
    if (held.pace !== this.#own.pace) turns.close(held.pace)
  }
}
