/** Aborts the requests of one open site, at the end of the leases or when the site is taken away. */
import { Stop, type StopSignal } from '../../model/index.js'

export class RequestAbort {
  #stop = new Stop()
  #until: StopSignal | null = null
  #isCut = false
  readonly #abort = () => this.#stop.abort()

  /**
   * Aborts with `until`, or with `abort`. The same signal while `until` is the same, because fetchers keep a
   * list for each.
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

  /** Aborts requests in flight and allows no more. */
  abort(): void {
    this.#isCut = true
    this.#stop.abort()
  }

  /** Call when the site is released. */
  dispose(): void {
    this.#until?.removeEventListener('abort', this.#abort)
    this.#until = null
  }
}
