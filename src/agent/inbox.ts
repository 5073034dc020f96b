import type { Ledger } from '../cluster/index.js'
import type { StopSignal } from '../model/stop.js'
import type { Admission } from './admission.js'
import type { SiteCrawl } from './site-crawl.js'
import type { Transmitter } from './transmitter.js'

/** Hundreds of sites may read at once, and each batch is in memory three times on its way. */
const BATCH_ROWS = 500

/**
 * Takes the rows past a cell's cursor into its queue. What is new is journaled in the open pack together with the
 * cursor, so a row is either still in the inbox or in a committed pack, never nowhere.
 */
export async function readInbox(
  ledger: Ledger,
  site: SiteCrawl,
  transmitter: Transmitter,
  admission: Admission,
  signal: StopSignal,
): Promise<void> {
  while (site.inboxDirty && site.mode.is !== 'leaving' && !signal.aborted) {
    while (!transmitter.hasRoom() && !signal.aborted) await transmitter.shipped()
    site.inboxDirty = false
    const rows = await ledger.readInbox(site.cell, site.cursor, BATCH_ROWS)
    if (rows.length === 0 || site.lost) return
    const { pack } = transmitter
    for (const row of rows) {
      if (!site.frontier.meets(row.url, row.depth)) admission.admit(site, pack, row)
    }
    const share = pack.share(site)
    site.cursor = rows[rows.length - 1].position
    share.consumed(rows)
    if (rows.length === BATCH_ROWS) site.inboxDirty = true
    transmitter.poke()
  }
}
