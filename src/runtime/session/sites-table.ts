import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type SiteRow, writeSites } from '../../data/store/tables/parquet/index.js'
import { pathInside } from '../../files/index.js'
import { type Ledger, type SiteSummary, siteSummaries } from '../../ledger/index.js'
import { type Epoch, outcomeRule } from '../../model/index.js'

/** One row per site that was crawled, written when a run ends; a later run replaces it. */
export async function writeSitesTable(directory: string, ledger: Ledger, seat: Epoch): Promise<void> {
  // Named by the seat, so that no later holder overwrites the file that the ledger lists.
  const name = `tables/sites/sites-s${seat}.parquet`
  const { bytes, crc32 } = await writeSites(rowsOf(ledger), join(directory, name))
  const old = (await ledger.files()).filter(file => file.kind === 'sites').map(file => file.name)
  const isSwapped = await ledger.swapFiles(old, [{ name, kind: 'sites', bytes, crc32 }], seat)
  const gone = isSwapped ? old.filter(other => other !== name) : [name]
  for (const other of gone) rmSync(pathInside(directory, other), { force: true })
}

async function* rowsOf(ledger: Ledger): AsyncGenerator<SiteRow> {
  for await (const site of siteSummaries(ledger)) yield rowOf(site)
}

function rowOf(site: SiteSummary): SiteRow {
  const count = (wanted: (code: string) => boolean) =>
    site.outcomes.filter(({ code }) => wanted(code)).reduce((sum, outcome) => sum + outcome.count, 0)
  const kind = (wanted: string) =>
    count(code => outcomeRule(code as SiteSummary['outcomes'][number]['code']).kind === wanted)
  return {
    site: site.cell,
    pages: site.pages,
    fetched: kind('stored'),
    failed: kind('failed'),
    refused: kind('refused'),
    redirects: count(code => code === 'REDIRECT' || code === 'REDIRECT_BAD'),
    notModified: count(code => code === 'NOT_MODIFIED'),
    clientErrors: count(code => code === 'HTTP_CLIENT_ERROR'),
    serverErrors: count(code => code === 'HTTP_SERVER_ERROR' || code === 'HTTP_BUSY'),
    bytes: site.bytes,
    fetchMsTotal: site.fetchMs,
    firstFetch: site.firstFetch,
    lastFetch: site.lastFetch,
  }
}
