/**
 * The waits of one site: its pause, the wait that it asked for, and what the ledger knows of both. Shared by
 * the open cells of a split site.
 */
import type { Millis } from '../../model/index.js'

export interface KnownWait {
  readonly notBefore: Millis
  readonly waitUntil: Millis
  /** The pause stored in the ledger; a longer one is stored before the next request. */
  readonly knownMs: Millis
}

export class SiteWait {
  notBefore: Millis
  waitUntil: Millis
  waitReason = 'the site asked for this wait before'
  knownMs: Millis
  /** The Crawl-delay at the last request; 0 if our own delay is longer. At first a guess. */
  crawlDelayMs: Millis
  /** A write to the ledger that the next request waits for. */
  saving: Promise<void> | null = null
  /** Number of cells that share it. */
  cells = 0

  constructor(known: KnownWait) {
    this.notBefore = known.notBefore
    this.waitUntil = known.waitUntil
    this.knownMs = known.knownMs
    this.crawlDelayMs = known.knownMs
  }

  /** When all its waits are over, without further requests. */
  get until(): Millis {
    return Math.max(this.notBefore, this.waitUntil)
  }

  /** Adds a cell of the site, with the waits that its lease knows. */
  join(known: KnownWait): void {
    this.cells++
    this.notBefore = Math.max(this.notBefore, known.notBefore)
    this.waitUntil = Math.max(this.waitUntil, known.waitUntil)
    this.knownMs = Math.max(this.knownMs, known.knownMs)
  }
}
