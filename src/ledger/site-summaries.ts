/** The cells of a crawl, and summaries of its sites: all cells of a site (shards or pieces) as one. */
import { siteOfCell } from '../model/index.js'
import type { Ledger } from './ledger.js'
import type { SiteSummary } from './ledger-rows.js'
import type { OutcomeCount } from './pack-rows.js'

/** Cells at a time: bounds the memory. */
const BATCH_CELLS = 1_000

/** In the order of their names; `which`: only cells with packs. */
export async function* cellBatches(
  ledger: Pick<Ledger, 'sites'>,
  which?: 'crawled',
): AsyncGenerator<readonly SiteSummary[]> {
  for (let after = ''; ; ) {
    const batch = await ledger.sites(after, BATCH_CELLS, which)
    if (batch.length === 0) return
    yield batch
    after = batch[batch.length - 1].cell
  }
}

/**
 * Only sites with packs: a link farm names millions of others. `cell` is the name of the site. Cells are read
 * in the order of their names, so the cells of a site follow each other.
 */
export async function* siteSummaries(ledger: Pick<Ledger, 'sites'>): AsyncGenerator<SiteSummary> {
  let site: SiteSummary | null = null
  for await (const batch of cellBatches(ledger, 'crawled'))
    for (const row of batch) {
      const part = { ...row, cell: siteOfCell(row.cell) }
      if (site !== null && site.cell !== part.cell) yield site
      site = site !== null && site.cell === part.cell ? joined(site, part) : part
    }
  if (site !== null) yield site
}

function joined(a: SiteSummary, b: SiteSummary): SiteSummary {
  return {
    cell: a.cell,
    state: a.state === 'finished' || a.state === 'closed' ? b.state : a.state,
    pages: a.pages + b.pages,
    bytes: a.bytes + b.bytes,
    fetchMs: a.fetchMs + b.fetchMs,
    firstFetch:
      a.firstFetch === 0 || b.firstFetch === 0
        ? a.firstFetch + b.firstFetch
        : Math.min(a.firstFetch, b.firstFetch),
    lastFetch: Math.max(a.lastFetch, b.lastFetch),
    discovered: a.discovered + b.discovered,
    settled: a.settled + b.settled,
    outcomes: [...summed([...a.outcomes, ...b.outcomes]).values()],
  }
}

function summed(outcomes: readonly OutcomeCount[]): Map<string, OutcomeCount> {
  const sums = new Map<string, OutcomeCount>()
  for (const { code, count, detail } of outcomes) {
    const known = sums.get(code)
    sums.set(code, { code, count: count + (known?.count ?? 0), detail: detail || (known?.detail ?? '') })
  }
  return sums
}
