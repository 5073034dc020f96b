/** One tour at its host: waits for the first renewal, runs, and keeps its parts until the home has them. */
import { randomBytes } from 'node:crypto'
import { type Cancel, type Clock, type Millis, WakeUp } from '../../model/index.js'
import type { Fetcher } from '../../page/fetch/index.js'
import { FrontierSpace } from '../../page/frontier/index.js'
import type { Bundle, KeyPair, Progress, ReturnPartManifest } from '../bundle/index.js'
import { MOST_PARTS_KEPT, PART_AGE_MS, TOUR_KEPT_MS, TOUR_QUEUE_BYTES, TOUR_SEEN_BYTES } from '../limits.js'
import { ReturnWriter, Tour, type TourLimits } from '../tour/index.js'
import { TourLease } from './tour-lease.js'

export interface HostedTourParts {
  readonly clock: Clock
  readonly bundle: Bundle
  readonly keys: KeyPair
  readonly limits: TourLimits
  readonly productToken: string
  /** Opens the source of the site. */
  readonly open: () => Fetcher
  /** A folder of its own for queues that do not fit into memory. */
  readonly scratch: string
  readonly salt: number
  /** The tour reads its source no more. */
  readonly onEnd: (how: string, counts: { pages: number; kept: number; bytes: number }) => void
  /** Its parts need not be kept any longer. */
  readonly onGone: () => void
}

export class HostedTour {
  /** Knowing it is the right to fetch parts. */
  readonly id = randomBytes(16).toString('hex')
  readonly bundle: Bundle
  readonly #parts: HostedTourParts
  readonly #lease: TourLease
  readonly #sealed = new Map<number, Buffer>()
  readonly #wake: WakeUp
  readonly #out: ReturnWriter
  #state: Progress['state'] = 'waiting'
  #lastPart = 0
  #sealedAt: Millis
  #fetched = 0
  #isSealing = false
  #isGone = false
  #cancel: Cancel

  constructor(parts: HostedTourParts) {
    this.#parts = parts
    this.bundle = parts.bundle
    this.#lease = new TourLease(parts.clock)
    this.#wake = new WakeUp(parts.clock)
    this.#out = new ReturnWriter(parts.bundle.manifest, parts.keys.privateKey, (part, manifest) =>
      this.#keep(part, manifest),
    )
    this.#sealedAt = parts.clock.monotonic()
    // A home that never renews, or never fetches the last part, does not block the next tour.
    this.#cancel = parts.clock.after(TOUR_KEPT_MS, () => this.drop())
  }

  /** Null if the renewal is refused. `have`: the last part that the home has stored. */
  renew(nonce: string, leftMs: Millis, have: number): Progress | null {
    if (this.#isGone) return null
    for (const number of this.#sealed.keys()) if (number <= have) this.#sealed.delete(number)
    this.#fetched = Math.max(this.#fetched, Math.min(have, this.#lastPart))
    this.#wake.notify()
    // When the source is not read any more, nothing has to be leased: the parts only have to be fetched.
    const isOver = this.#state === 'ended' || this.#lease.signal.aborted
    if (!isOver && !this.#lease.renew(nonce, leftMs)) return null
    this.#again()
    if (this.#state === 'waiting') void this.#run()
    this.#sealOld()
    if (this.#state === 'ended' && this.#fetched >= this.#lastPart) this.drop()
    return this.progress()
  }

  progress(): Progress {
    const { judged, kept } = this.#out
    return {
      tour: this.id,
      state: this.#state,
      parts: this.#lastPart,
      judged,
      kept,
      nonce: this.#lease.issue(),
    }
  }

  /** Undefined if it is not there yet, or the home has said that it has it. */
  part(number: number): Buffer | undefined {
    return this.#sealed.get(number)
  }

  /** False once its source is not read any more. */
  get isUnderWay(): boolean {
    return this.#state !== 'ended' && !this.#isGone
  }

  /** Ends the reading; the parts so far can still be fetched. */
  stop(): void {
    if (this.#state === 'waiting') this.drop()
    else this.#lease.end()
  }

  /** Ends the reading and frees the parts. */
  drop(): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#cancel()
    this.#lease.end()
    this.#sealed.clear()
    this.#wake.notify()
    this.#parts.onGone()
  }

  async #run(): Promise<void> {
    const { clock, bundle, limits, productToken, scratch, salt, onEnd } = this.#parts
    this.#state = 'running'
    const lease = this.#lease
    const fetcher = this.#parts.open()
    const space = new FrontierSpace({
      folder: scratch,
      seenBytes: TOUR_SEEN_BYTES,
      queueBytes: TOUR_QUEUE_BYTES,
      salt,
    })
    let how = ''
    try {
      const parts = { clock, fetcher, bundle, space, limits, productToken, out: this.#out }
      const tour = Tour.open({ ...parts, mayRead: () => lease.holds, signal: lease.signal })
      how = typeof tour === 'string' ? tour : await tour.run()
      if (typeof tour === 'string') this.drop()
    } catch (error) {
      how = String(error)
      this.drop()
    } finally {
      lease.end()
      space.close()
      await fetcher.close()
      this.#state = 'ended'
      const { judged: pages, kept, readBytes: bytes } = this.#out
      onEnd(how, { pages, kept, bytes })
    }
  }

  /** Waits while the home has to fetch parts first. */
  async #keep(part: Buffer, { number }: ReturnPartManifest): Promise<void> {
    if (this.#isGone) return
    this.#sealed.set(number, part)
    this.#lastPart = number
    this.#sealedAt = this.#parts.clock.monotonic()
    while (this.#sealed.size >= MOST_PARTS_KEPT && !this.#isGone) await this.#wake.wait(TOUR_KEPT_MS)
  }

  /** A slow source fills no part: what is old enough goes home as it is. */
  #sealOld(): void {
    const isOld = this.#parts.clock.monotonic() - this.#sealedAt >= PART_AGE_MS
    if (this.#state !== 'running' || this.#isSealing || !isOld || !this.#out.isFilling) return
    if (this.#sealed.size >= MOST_PARTS_KEPT) return
    this.#isSealing = true
    void this.#out.seal('more').finally(() => {
      this.#isSealing = false
    })
  }

  #again(): void {
    this.#cancel()
    this.#cancel = this.#parts.clock.after(TOUR_KEPT_MS, () => this.drop())
  }
}
