/** Opens a leased cell: rebuilds its queue from the journal, and loads its robots rules and its pace. */

import { type Ledger, LedgerError } from '../../../ledger/index.js'
import {
  type CellId,
  type CellMap,
  type CellPart,
  type Clock,
  type Lease,
  LIMITS,
  type Millis,
  rangeOf,
  siteOfCell,
  WakeUp,
} from '../../../model/index.js'
import {
  type CellFrontier,
  type Decisions,
  type FrontierSpace,
  rebuildCell,
} from '../../../page/frontier/index.js'
import type { SiteTraps } from '../../../page/frontier/traps/index.js'
import type { Turns } from '../../../page/politeness/index.js'
import { JOURNAL_BATCH_BYTES, KEPT_JOURNAL_BYTES } from '../../limits.js'
import {
  type LaneCount,
  OriginRobots,
  type OriginRobotsSettings,
  type PageFaults,
  SiteCrawl,
} from '../site/index.js'

/** The most failures that count under the next lease: a site that was parked for them gets new requests. */
const KEPT_FAILURES = LIMITS.siteFailures / 2

/** What the journal says about earlier leases. */
interface Past {
  /** Failures in a row at the end of the journal. */
  readonly failures: number
  /** True if the site has ever answered. */
  readonly answered: boolean
}

const NO_PAST: Past = { failures: 0, answered: false }

export interface SiteOpenerParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly space: FrontierSpace
  readonly turns: Turns
  readonly cells: CellMap
  readonly lanes: LaneCount
  readonly faults: PageFaults
  readonly robots: OriginRobotsSettings
  readonly newFrontier: () => CellFrontier
  readonly newTraps: (frontier: CellFrontier) => SiteTraps
}

export class SiteOpener {
  readonly #parts: SiteOpenerParts
  #rebuilding: Promise<void> = Promise.resolve()

  constructor(parts: SiteOpenerParts) {
    this.#parts = parts
  }

  /** Null if another agent holds a turn that the site needs: the cell has to be released. */
  async open(lease: Lease): Promise<SiteCrawl | null> {
    const { clock, ledger, turns, cells, lanes, faults, robots } = this.#parts
    const { cell } = lease
    const part = cells.partOf(cell)
    // All cells of a site share its robots.txt.
    const site = siteOfCell(cell)
    // With the first lease of a whole site there is nothing to load.
    const [pace, origins] =
      lease.epoch === 1 && part === null
        ? [await turns.open(lease), []]
        : await Promise.all([turns.open(lease), ledger.loadOrigins(site)])
    if (pace === null) return null
    const originRobots = new OriginRobots({ cell: site, ledger, clock, faults, settings: robots }, origins)
    const frontier = this.#parts.newFrontier()
    const traps = this.#parts.newTraps(frontier)
    // A shard has only its own journal. A cell split by path begins with the journal of the whole site.
    const inherits = rangeOf(cell) === null ? null : part
    const since = clock.monotonic()
    const past = lease.lastPack > 0 ? await this.#rebuild(lease, frontier, traps, inherits) : NO_PAST
    const rebuildMs = clock.monotonic() - since
    const failures = Math.min(past.failures, KEPT_FAILURES)
    const answered = past.answered || originRobots.hasAnswered
    const parts = { lease, frontier, traps, pace, originRobots, lanes, failures, answered, part, rebuildMs }
    return new SiteCrawl(parts, new WakeUp(clock))
  }

  /** When one more site of the group would get its turn; null if that is soon. */
  backlogOf(cell: CellId): { readonly until: Millis } | null {
    const { turns } = this.#parts
    return turns.backlogOf(turns.groupOf(siteOfCell(cell)))
  }

  /** False while a robots procedure of this agent uses the turn of the cell. */
  mayLeave(site: SiteCrawl): boolean {
    return this.#parts.turns.mayLeave(site.pace)
  }

  /** Called when the release of the cell was cancelled. */
  stays(site: SiteCrawl): void {
    this.#parts.turns.stays(site.pace)
  }

  /** Called after the cell was released; frees its memory. */
  close(site: SiteCrawl): void {
    this.#parts.turns.close(site.pace)
    site.close()
  }

  /** One at a time: a journal takes several megabytes of memory. */
  #rebuild(lease: Lease, frontier: CellFrontier, traps: SiteTraps, part: CellPart | null): Promise<Past> {
    const past = { failures: 0, answered: false }
    const decisions: Decisions = {
      replay: (discovery, refusedBy) => {
        try {
          traps.replay(discovery, refusedBy)
        } catch (error) {
          this.#parts.faults.caught(discovery.url, error)
        }
      },
      countPage: () => traps.countPage(),
      discountPage: () => traps.discountPage(),
      tried: (failed, answered) => {
        past.failures = failed ? past.failures + 1 : 0
        past.answered ||= answered
      },
    }
    let whole: readonly Uint8Array[] | null = null
    const blobs = () =>
      whole ??
      this.#journal(lease, journals => {
        whole = journals
      })
    const rebuilt = this.#rebuilding.then(() =>
      rebuildCell(blobs, frontier, this.#parts.space, decisions, part),
    )
    this.#rebuilding = rebuilt.catch(() => {})
    return rebuilt.then(
      () => past,
      error => {
        throw asDamage(lease.cell, error)
      },
    )
  }

  /** Calls `onWhole` if the first batch was the whole journal, and small. */
  async *#journal(
    lease: Lease,
    onWhole: (journals: readonly Uint8Array[]) => void,
  ): AsyncIterable<Uint8Array> {
    for (let from = 1; from <= lease.lastPack; ) {
      const batch = await this.#parts.ledger.readJournal(lease.cell, from, JOURNAL_BATCH_BYTES)
      if (batch.length === 0) return
      const bytes = batch.reduce((sum, { journal }) => sum + journal.length, 0)
      if (from === 1 && batch.length === lease.lastPack && bytes <= KEPT_JOURNAL_BYTES)
        onWhole(batch.map(({ journal }) => journal))
      for (const { journal } of batch) yield journal
      from = batch[batch.length - 1].number + 1
    }
  }
}

/** A journal that cannot be decoded has changed since it was written: the ledger is damaged. */
export function asDamage(cell: CellId, error: unknown): unknown {
  if (!(error instanceof RangeError)) return error
  const detail = `the ledger is damaged: a journal of ${cell} cannot be read (${error.message})`
  return new LedgerError('corrupt', `${detail}; run "orbweaver repair" on the directory of the crawl`)
}
