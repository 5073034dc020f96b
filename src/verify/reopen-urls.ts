/**
 * Queues URLs again whose stored copy was lost, so that `resume` fetches exactly those. This is a normal
 * pack: a lease of the cell, a journal that withdraws the outcomes, and negative counters, in one
 * transaction. A second pack for the same URL would count twice, so callers leave out URLs that are already
 * reopened.
 */
import { randomUUID } from 'node:crypto'
import type { Incarnation, Ledger, OutcomeCount, PackCell } from '../ledger/index.js'
import {
  type CellId,
  type Discovery,
  filedUnder,
  type Grouping,
  groupBy,
  isPage,
  type Lease,
  type OutcomeCode,
} from '../model/index.js'
import { JournalWriter } from '../page/frontier/index.js'

/** A URL whose stored response is lost. */
export interface LostUrl {
  readonly cell: CellId
  readonly discovery: Discovery
  readonly code: OutcomeCode
}

export interface Reopening {
  readonly ledger: Ledger
  /** The incarnation of the repair; it has no lanes. */
  readonly incarnation: Incarnation
  readonly grouping: Grouping
  readonly leaseMs: number
}

/** Cells of one transaction. */
const BATCH_CELLS = 100

/**
 * The crawl must be open and not running. Throws if a cell cannot be leased; earlier batches stay committed.
 */
export async function reopenUrls(reopening: Reopening, lost: readonly LostUrl[]): Promise<void> {
  const cells = [...groupBy(lost, ({ cell }) => cell)]
  for (let from = 0; from < cells.length; from += BATCH_CELLS)
    await reopenBatch(reopening, new Map(cells.slice(from, from + BATCH_CELLS)))
}

async function reopenBatch(
  { ledger, incarnation, grouping, leaseMs }: Reopening,
  cells: ReadonlyMap<CellId, readonly LostUrl[]>,
): Promise<void> {
  // A row in its inbox makes a finished cell wait again. Its agent drops the row: the URL is known.
  const appends = [...cells].map(([cell, [first]]) => ({
    cell,
    group: filedUnder(cell, grouping),
    rows: [first.discovery],
  }))
  if (!(await ledger.append(appends))) throw new Error('the crawl was closed or split while it was repaired')
  const leases = await ledger.grant(incarnation, [...cells.keys()], leaseMs, 0)
  try {
    const missing = [...cells.keys()].find(cell => !leases.some(lease => lease.cell === cell))
    if (missing !== undefined)
      throw new Error(`${missing} waits for its politeness turn; run repair again later`)
    const result = await ledger.commit({
      id: randomUUID(),
      incarnation: incarnation,
      cells: leases.map(lease => reopened(lease, cells.get(lease.cell)!)),
      appends: [],
      files: [],
      fetches: 0,
      lanes: [],
      received: { links: 0, pages: new Uint8Array(0), sites: new Uint8Array(0) },
      waits: [],
    })
    if (result.status !== 'committed') throw new Error(`the ledger refused to reopen URLs: ${result.status}`)
  } finally {
    for (const { cell, epoch } of leases) await ledger.release(cell, epoch, 'tail')
  }
}

/** The counters of bytes and times stay, because those bytes were received. */
function reopened(lease: Lease, lost: readonly LostUrl[]): PackCell {
  const journal = new JournalWriter(lease.cell)
  for (const { discovery, code } of lost) journal.reopen(discovery.url, code)
  const codes = groupBy(lost, ({ code }) => code)
  return {
    cell: lease.cell,
    epoch: lease.epoch,
    number: lease.lastPack + 1,
    journal: journal.finish(),
    consumed: 0,
    cursor: lease.cursor,
    discovered: 0,
    settled: -lost.length,
    pages: -lost.filter(({ code }) => isPage(code)).length,
    bytes: 0,
    fetchMs: 0,
    firstFetch: 0,
    lastFetch: 0,
    outcomes: [...codes].map(([code, urls]): OutcomeCount => ({ code, count: -urls.length, detail: '' })),
  }
}
