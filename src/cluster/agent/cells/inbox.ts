import type { Ledger } from '../../../ledger/index.js'
import { Semaphore, type StopSignal } from '../../../model/index.js'
import { normaliseEscapes } from '../../../model/url/index.js'
import type { Admission } from '../lane/index.js'
import type { Transmitter } from '../pack/index.js'
import type { SiteCrawl } from '../site/index.js'

/** Each batch is in memory three times on its way. */
const BATCH_ROWS = 500
/** Sites that read at once: a row may be 4 KB, and a thousand sites are opened in one moment. */
const READERS = 16

/**
 * Takes the rows past a cell's cursor into its queue. What is new is journaled in the open pack together with
 * the cursor, so a row is either still in the inbox or in a committed pack, never nowhere.
 */
export class InboxReader {
  readonly #ledger: Ledger
  readonly #transmitter: Transmitter
  readonly #admission: Admission
  readonly #signal: StopSignal
  readonly #readers = new Semaphore(READERS)

  constructor(ledger: Ledger, transmitter: Transmitter, admission: Admission, signal: StopSignal) {
    this.#ledger = ledger
    this.#transmitter = transmitter
    this.#admission = admission
    this.#signal = signal
  }

  async read(site: SiteCrawl): Promise<void> {
    while (site.inboxDirty && site.mode.is !== 'leaving' && !this.#signal.aborted) {
      const hasMore = await this.#readers.run(() => this.#readBatch(site))
      if (!hasMore) return
      this.#transmitter.poke()
    }
  }

  /** False when there was nothing to read, or the site is ours no longer. */
  async #readBatch(site: SiteCrawl): Promise<boolean> {
    site.inboxReadBegan()
    const rows = await this.#ledger.readInbox(site.cell, site.cursor, BATCH_ROWS)
    while (!this.#transmitter.hasRoom() && !this.#signal.aborted) await this.#transmitter.shipped()
    if (rows.length === 0 || site.lost || this.#signal.aborted) return false
    const { pack } = this.#transmitter
    for (const row of rows) {
      const url = spellingHere(site, row.url)
      if (site.frontier.meets(url, row.depth)) continue
      this.#admission.admit(site, pack, url === row.url ? row : { ...row, url })
    }
    site.inboxRowsTaken(rows[rows.length - 1].position)
    pack.cellFor(site).consumed(rows)
    if (rows.length === BATCH_ROWS) site.inboxGrew()
    return true
  }
}

/**
 * A row of an earlier version may have other escapes. Its normal form may belong to another cell of a split
 * site.
 */
function spellingHere(site: SiteCrawl, written: string): string {
  const url = normaliseEscapes(written)
  return url === written || site.holds(url) ? url : written
}
