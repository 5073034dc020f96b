/**
 * How long a tour may read its source, by the host's own clocks. The host hands out a nonce with every answer
 * and remembers when. A renewal returns a nonce and says how much of the lease was left when the home sent
 * it; the host counts from the nonce, which is earlier. So a renewal that comes late, comes twice or was
 * recorded never lengthens a tour beyond the lease of its home, and no clock of the home is trusted.
 */
import { randomBytes } from 'node:crypto'
import { type Cancel, type Clock, type Millis, Stop, type StopSignal } from '../../model/index.js'
import { MOST_NONCES, TOUR_LEASE_MAX_MS } from '../limits.js'

/** Parts of what was left: no new request in the last sixth, none in flight in the last thirtieth. */
const MARGIN = 1 / 6
const CUT = 1 / 30

interface Issued {
  readonly monotonic: Millis
  readonly wall: Millis
}

export class TourLease {
  readonly #clock: Clock
  readonly #issued = new Map<string, Issued>()
  readonly #stop = new Stop()
  #from: Issued = { monotonic: 0, wall: 0 }
  #leftMs: Millis = 0
  #cancel: Cancel = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A new nonce; a bounded number of older ones stays valid. */
  issue(): string {
    const nonce = randomBytes(16).toString('hex')
    this.#issued.set(nonce, { monotonic: this.#clock.monotonic(), wall: this.#clock.now() })
    const [oldest] = this.#issued.keys()
    if (this.#issued.size > MOST_NONCES) this.#issued.delete(oldest!)
    return nonce
  }

  /** False if the nonce is unknown or void, or if the lease is over: it never begins again. */
  renew(nonce: string, leftMs: Millis): boolean {
    const issued = this.#issued.get(nonce)
    if (issued === undefined || this.#stop.aborted || leftMs > TOUR_LEASE_MAX_MS) return false
    // Older nonces are void, and so are renewals that were recorded with them. This one may come again: the
    // answer may have been lost, and it gains nothing.
    for (const older of this.#issued.keys()) {
      if (older === nonce) break
      this.#issued.delete(older)
    }
    this.#from = issued
    this.#leftMs = leftMs
    this.#cancel()
    const cutMs = leftMs * (1 - CUT) - (this.#clock.monotonic() - issued.monotonic)
    if (cutMs <= 0) this.end()
    else this.#cancel = this.#clock.after(cutMs, () => this.end())
    return !this.#stop.aborted
  }

  /** True while a request may be sent. Asked just before it is: a frozen process runs no timer. */
  get holds(): boolean {
    const most = this.#leftMs * (1 - MARGIN)
    const { monotonic, wall } = this.#from
    const isLeft = this.#clock.monotonic() - monotonic < most && this.#clock.now() - wall < most
    return isLeft && !this.#stop.aborted
  }

  /** Aborts requests in flight at the end. */
  get signal(): StopSignal {
    return this.#stop.signal
  }

  end(): void {
    this.#cancel()
    this.#stop.abort()
  }
}
