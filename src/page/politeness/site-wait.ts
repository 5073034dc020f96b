/**
 * What one site asks of us by itself, and until when: its pause, a wait it wanted, what of both the ledger
 * knows. Cells of a site that was split share it while they are in the hands of one agent.
 */
import type { Millis } from '../../model/index.js'

export interface KnownWait {
  readonly notBefore: Millis
  readonly waitUntil: Millis
  /** The pause the ledger knows: a longer one is told before the next request. */
  readonly knownMs: Millis
}

export class SiteWait {
  notBefore: Millis
  waitUntil: Millis
  waitReason = 'the site asked for this wait before'
  knownMs: Millis
  /**
   * What the site's Crawl-delay was when it was last asked; 0 when our own delay is longer. At first a guess.
   */
  crawlDelayMs: Millis
  /** Being written into the ledger: nothing is asked before it is there. */
  saving: Promise<void> | null = null
  /** Cells that share it. */
  cells = 0

  constructor(known: KnownWait) {
    this.notBefore = known.notBefore
    this.waitUntil = known.waitUntil
    this.knownMs = known.knownMs
    this.crawlDelayMs = known.knownMs
  }

  /** When nothing of it counts any more, should nobody ask before. */
  get until(): Millis {
    return Math.max(this.notBefore, this.waitUntil)
  }

  /** One more cell of the site: what its lease knows counts for all. */
  join(known: KnownWait): void {
    this.cells++
    this.notBefore = Math.max(this.notBefore, known.notBefore)
    this.waitUntil = Math.max(this.waitUntil, known.waitUntil)
    this.knownMs = Math.max(this.knownMs, known.knownMs)
  }
}
