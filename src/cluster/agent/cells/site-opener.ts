/** Opens a leased cell: its queue from the journal, its robots rules, its pace. */
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
import {
  type LaneCount,
  OriginRobots,
  type OriginRobotsSettings,
  type PageFaults,
  SiteCrawl,
} from '../site/index.js'

const JOURNAL_BATCH_BYTES = 4 * 1024 * 1024
/** A journal no longer than this is asked for once and kept for the second pass. */
const KEPT_JOURNAL_BYTES = 64 * 1024

/**
 * Of the failures in a row so many count under the next lease: a site that was set aside for them gets some
 * requests anew.
 */
const FAILURES_LEFT = LIMITS.siteFailures / 2

/** What the journal says of the leases before. */
interface Past {
  /** In a row, at its end. */
  readonly failures: number
  /** True when the site has answered anything. */
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

  /** Null when another agent holds a turn that the site needs: the cell has to go back. */
  async open(lease: Lease): Promise<SiteCrawl | null> {
    const { clock, ledger, turns, cells, lanes, faults, robots } = this.#parts
    const { cell } = lease
    const part = cells.partOf(cell)
    // All cells of a site share its robots.txt.
    const site = siteOfCell(cell)
    // Of a site that nobody has had before, nothing is known.
    const [pace, origins] =
      lease.epoch === 1 && part === null
        ? [await turns.open(lease), []]
        : await Promise.all([turns.open(lease), ledger.loadOrigins(site)])
    if (pace === null) return null
    const originRobots = new OriginRobots({ cell: site, ledger, clock, faults, settings: robots }, origins)
    const frontier = this.#parts.newFrontier()
    const traps = this.#parts.newTraps(frontier)
    // A shard has a journal of its own; a cell split by path has that of the whole before its own.
    const inherits = rangeOf(cell) === null ? null : part
    const since = clock.monotonic()
    const past = lease.lastPack > 0 ? await this.#rebuild(lease, frontier, traps, inherits) : NO_PAST
    const rebuildMs = clock.monotonic() - since
    const failures = Math.min(past.failures, FAILURES_LEFT)
    const answered = past.answered || originRobots.hasAnswered
    const parts = { lease, frontier, traps, pace, originRobots, lanes, failures, answered, part, rebuildMs }
    return new SiteCrawl(parts, new WakeUp(clock))
  }

  /** How far off the turn of its group is for one more site; null when it is near. */
  backlogOf(cell: CellId): { readonly until: Millis } | null {
    const { turns } = this.#parts
    return turns.backlogOf(turns.groupOf(siteOfCell(cell)))
  }

  /** False while somebody else here needs the turn that the cell has. */
  mayLeave(site: SiteCrawl): boolean {
    return this.#parts.turns.mayLeave(site.pace)
  }

  /** It was not given back after all. */
  stays(site: SiteCrawl): void {
    this.#parts.turns.stays(site.pace)
  }

  /** The cell is released; what was kept for it in memory goes. */
  close(site: SiteCrawl): void {
    this.#parts.turns.close(site.pace)
    site.close()
  }

  /** One after the other: a journal in memory is several megabytes. */
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

  /** `onWhole` is told when the first batch was all of it, and small. */
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

/** A journal that does not decode was not written by us: bits of the ledger have changed. */
export function asDamage(cell: CellId, error: unknown): unknown {
  if (!(error instanceof RangeError)) return error
  const detail = `the ledger is damaged: a journal of ${cell} cannot be read (${error.message})`
  return new LedgerError('corrupt', `${detail}; run "orbweaver repair" on the directory of the crawl`)
}
