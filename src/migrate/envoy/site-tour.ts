/**
 * One tour as its home sees it: renews it with what is left of the agent's lease, fetches its parts, and
 * knows until when the host may still read the site.
 */
import { type Clock, type Millis, WakeUp } from '../../model/index.js'
import type { BundleManifest, Progress } from '../bundle/index.js'
import type { Carrier } from '../carrier/index.js'
import { LOST_LOOKS, PART_SENT_BYTES, TOUR_LEASE_MAX_MS, TOUR_LOOK_MS } from '../limits.js'
import { readPart } from '../tour/index.js'
import type { HeldVisits } from './held-visits.js'

/** `back`: the last part has come. `lost`: the host is gone, refuses, or has lied. */
export type TourState = 'away' | 'back' | 'lost'

export interface SiteTourParts {
  readonly clock: Clock
  readonly carrier: Carrier
  readonly manifest: BundleManifest
  /** Where visits wait for the lane. */
  readonly held: HeldVisits
  /** What is left of the agent's lease. */
  readonly leftMs: () => Millis
  /** `--max-body` */
  readonly bodyBytes: number
}

export class SiteTour {
  readonly #parts: SiteTourParts
  readonly #wake: WakeUp
  #progress: Progress
  #state: TourState = 'away'
  #why = ''
  #stops = false
  #have = 0
  #bytes = 0
  #kept = 0
  #failures = 0
  /** When the newest nonce came, by our monotonic clock. */
  #nonceAt: Millis
  /** The host reads nothing after this. */
  #grantedUntil: Millis
  readonly over: Promise<void>

  constructor(parts: SiteTourParts, progress: Progress) {
    this.#parts = parts
    this.#progress = progress
    this.#wake = new WakeUp(parts.clock)
    this.#nonceAt = parts.clock.monotonic()
    this.#grantedUntil = this.#nonceAt
    this.over = this.#follow()
  }

  /** `away` as long as the host may read the site. */
  get state(): TourState {
    return this.#state
  }

  get facts() {
    return { parts: this.#have, bytes: this.#bytes, kept: this.#kept, why: this.#why }
  }

  /** The host shall read no further page. */
  stop(): void {
    this.#stops = true
    this.#wake.notify()
  }

  async #follow(): Promise<void> {
    try {
      while (this.#state === 'away') {
        if (!(await this.#renew())) break
        const fetched = await this.#fetchNext()
        if (this.#state === 'away' && !fetched) await this.#wake.wait(TOUR_LOOK_MS)
      }
    } catch (error) {
      this.#lose(String(error))
    }
    this.#parts.held.wake()
  }

  /** False if the tour is lost. */
  async #renew(): Promise<boolean> {
    const { clock, carrier, leftMs } = this.#parts
    const { tour, nonce } = this.#progress
    const left = Math.min(leftMs(), TOUR_LEASE_MAX_MS)
    // The host counts from the nonce, which it issued before it came here. It may receive a renewal whose
    // answer is lost, or receive it late.
    this.#grantedUntil = Math.max(this.#grantedUntil, this.#nonceAt + left)
    const progress = await carrier.renew({
      tour,
      nonce,
      leftMs: left,
      have: this.#have,
      stop: this.#stops,
    })
    if (progress !== null && progress.tour === tour) {
      this.#progress = progress
      this.#nonceAt = clock.monotonic()
      this.#failures = 0
      return true
    }
    this.#failures++
    if (this.#failures < LOST_LOOKS && clock.monotonic() < this.#grantedUntil) return true
    await this.#outlive()
    this.#lose('the host does not answer, or refuses the renewal')
    return false
  }

  /** True if a part has come. */
  async #fetchNext(): Promise<boolean> {
    const { clock, carrier, manifest, held, bodyBytes } = this.#parts
    if (this.#have >= this.#progress.parts || !(this.#stops || held.makesRoom())) return false
    const number = this.#have + 1
    const bytes = await carrier.part(this.#progress.tour, number, PART_SENT_BYTES)
    if (bytes === null) return false
    const { id: bundle, cell, epoch, host, origin } = manifest
    const bounds = { bundle, cell, epoch, host, origin, number, bodyBytes, bytes: PART_SENT_BYTES }
    const part = await readPart(bytes, { ...bounds, now: clock.now() })
    if (typeof part === 'string') {
      await this.#outlive()
      this.#lose(`part ${number} is refused: ${part}`)
      return false
    }
    this.#have = number
    this.#bytes += bytes.length
    this.#kept += part.visits.length
    if (!this.#stops) held.add(part)
    if (part.manifest.end !== 'more') {
      this.#state = 'back'
      // So that the host frees its parts at once; if this fails, it does so later.
      const { tour, nonce } = this.#progress
      await carrier.renew({ tour, nonce, leftMs: 0, have: number, stop: true })
    }
    return true
  }

  /** Waits until the host cannot read the site any more, whatever it does. */
  async #outlive(): Promise<void> {
    const { clock } = this.#parts
    for (;;) {
      const ms = this.#grantedUntil - clock.monotonic()
      if (ms <= 0) return
      await this.#wake.wait(ms)
    }
  }

  #lose(why: string): void {
    this.#state = 'lost'
    this.#why = why
  }
}
