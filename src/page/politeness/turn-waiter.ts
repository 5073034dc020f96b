import { type Cancel, type Clock, LIMITS, type Millis } from '../../model/index.js'
import type { GroupPace, Waiter } from './group-pace.js'
import type { Pause, SitePace } from './site-pace.js'

/** One request that waits for its turn. */
export class TurnWaiter implements Waiter {
  readonly pause: Pause
  readonly #pace: SitePace
  readonly #clock: Clock
  readonly #resolve: (hasTurn: boolean) => void
  #cancel: Cancel | null = null
  #line: GroupPace | null = null

  constructor(pace: SitePace, clock: Clock, pause: Pause, resolve: (hasTurn: boolean) => void) {
    this.#pace = pace
    this.#clock = clock
    this.pause = pause
    this.#resolve = resolve
  }

  retry(): void {
    this.#stopWaiting()
    this.#pace.advance(this)
  }

  sleep(ms: Millis): void {
    this.#cancel = this.#clock.after(Math.min(Math.ceil(ms), LIMITS.timerMs), () => this.retry())
  }

  queueIn(line: GroupPace): void {
    this.#line = line
    line.join(this)
  }

  end(hasTurn: boolean): void {
    this.#stopWaiting()
    this.#resolve(hasTurn)
  }

  #stopWaiting(): void {
    this.#cancel?.()
    this.#cancel = null
    this.#line?.leave(this)
    this.#line = null
  }
}
