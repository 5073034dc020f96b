/**
 * The requests of one site in hand: they end with the leases of the agent, and when the site is taken away by
 * force.
 */
import { Stop, type StopSignal } from '../../model/index.js'

export class RequestAbort {
  #stop = new Stop()
  #until: StopSignal | null = null
  #isCut = false
  readonly #abort = () => this.#stop.abort()

  /**
   * Aborts with `until`, or with `cut`. The same one for as long as `until` is the same: fetchers keep a list
   * for each.
   */
  signal(until: StopSignal): StopSignal {
    if (this.#until === until) return this.#stop.signal
    this.dispose()
    this.#until = until
    this.#stop = new Stop()
    if (until.aborted || this.#isCut) this.#stop.abort()
    else until.addEventListener('abort', this.#abort, { once: true })
    return this.#stop.signal
  }

  get isAborted(): boolean {
    return this.#isCut
  }

  /** Nothing that is under way is waited for any more, and nothing more is sent. */
  abort(): void {
    this.#isCut = true
    this.#stop.abort()
  }

  /** The site is released: nobody need know of it any more. */
  dispose(): void {
    this.#until?.removeEventListener('abort', this.#abort)
    this.#until = null
  }
}
