import type { Ledger } from '../../../ledger/index.js'
import { Semaphore, type StopSignal } from '../../../model/index.js'
import { normaliseEscapes } from '../../../model/url/index.js'
import { INBOX_BATCH_ROWS } from '../../limits.js'
import type { Admission } from '../lane/index.js'
import type { Transmitter } from '../pack/index.js'
import type { SiteCrawl } from '../site/index.js'

/** How many sites read at once: a row may have 4 KB, and a thousand sites may be opened together. */
const READERS = 16

/**
 * Moves rows past the cursor of a cell into its queue. The open pack has the new URLs and the new cursor, so
 * a row is always either in the inbox or in a committed pack.
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
    while (site.inbox.isDirty && site.mode.is !== 'leaving' && !this.#signal.aborted) {
      const hasMore = await this.#readers.run(() => this.#readBatch(site))
      if (!hasMore) return
      this.#transmitter.poke()
    }
  }

  /** False if there was nothing to read, the cell was lost or the agent stops. */
  async #readBatch(site: SiteCrawl): Promise<boolean> {
    site.inbox.readBegan()
    const rows = await this.#ledger.readInbox(site.cell, site.inbox.cursor, INBOX_BATCH_ROWS)
    while (!this.#transmitter.hasRoom() && !this.#signal.aborted) await this.#transmitter.shipped()
    if (rows.length === 0 || site.lost || this.#signal.aborted) return false
    const { pack } = this.#transmitter
    for (const row of rows) {
      const url = normalised(site, row.url)
      if (site.frontier.meets(url, row.depth)) continue
      this.#admission.admit(site, pack, url === row.url ? row : { ...row, url })
    }
    site.inbox.rowsTaken(rows[rows.length - 1].position)
    pack.cellFor(site).consumed(rows)
    if (rows.length === INBOX_BATCH_ROWS) site.inbox.grew()
    return true
  }
}

/**
 * Normalises the escapes of a URL, which rows of earlier versions may lack. Keeps the URL as written if the
 * normalised one belongs to another cell of the site.
 */
function normalised(site: SiteCrawl, written: string): string {
  const url = normaliseEscapes(written)
  return url === written || site.holds(url) ? url : written
}
