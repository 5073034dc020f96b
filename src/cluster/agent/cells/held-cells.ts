/**
 * The cells in this agent's hands: takes up what was leased to it, opens each once, and lets go of what is
 * over.
 */
import type { Heartbeat, Incarnation, Ledger } from '../../../ledger/index.js'
import type { CellId, Clock, Epoch, Lease, StopSignal } from '../../../model/index.js'
import type { SiteCrawl } from '../site/index.js'
import type { SiteOpener } from './site-opener.js'

/** A turn that another agent holds is asked for again after this. */
const TURN_LOOK_MS = 5_000

export interface HeldCellsParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly incarnation: Incarnation
  readonly siteOpener: SiteOpener
  /** Aborted, nothing more is taken up. */
  readonly signal: StopSignal
  /** Crawls a site until it is ours no longer. */
  readonly work: (site: SiteCrawl) => Promise<void>
  /** The site is somebody else's, or ours anew: all that is known of it is void. */
  readonly onLost: (sites: readonly SiteCrawl[]) => void
  readonly onGone: (site: SiteCrawl) => void
  /** There is more, or less, in hand than before. */
  readonly onChange: () => void
  readonly onFailure: (error: Error) => void
}

export class HeldCells {
  readonly #parts: HeldCellsParts
  readonly #sites = new Map<CellId, SiteCrawl>()
  /** Until the last of their work is over. */
  readonly #working = new Map<CellId, Promise<void>>()
  /** Leased, but not yet in `#sites`. */
  readonly #opening = new Set<Lease>()
  /** How often a cell is in it: mostly once. */
  readonly #openingCells = new Map<CellId, number>()
  /** What the ledger knew of us when it last answered, and up to which grant. */
  #lastBeat: { readonly grants: number; readonly held: ReadonlyMap<CellId, Epoch> } = {
    grants: 0,
    held: new Map(),
  }
  /** The last grant that we know of, and whether there may be more. */
  #seen = 0
  #due: 'none' | 'new' | 'all' = 'new'

  constructor(parts: HeldCellsParts) {
    this.#parts = parts
  }

  get sites(): ReadonlyMap<CellId, SiteCrawl> {
    return this.#sites
  }

  get opening(): number {
    return this.#opening.size
  }

  /** Cells in hand, or about to be. */
  get count(): number {
    return this.#sites.size + this.#opening.size
  }

  /** The same by name. */
  *cells(): Iterable<CellId> {
    yield* this.#sites.keys()
    yield* this.#openingCells.keys()
  }

  /** The last grant that we know of. */
  get seen(): number {
    return this.#seen
  }

  /** More may have been granted. */
  recheck(): void {
    if (this.#due === 'none') this.#due = 'new'
  }

  /**
   * What the ledger says we hold: the sites that it does not name are lost, cells that we do not have are
   * looked for.
   */
  compare({ held, grants }: Pick<Heartbeat, 'held' | 'grants'>): SiteCrawl[] {
    const epochs = new Map<CellId, Epoch>()
    for (const { cell, epoch } of held) {
      epochs.set(cell, epoch)
      if (!this.#has(cell, epoch)) this.#due = 'all'
    }
    this.#lastBeat = { grants, held: epochs }
    const lost: SiteCrawl[] = []
    for (const site of this.#sites.values()) if (this.#isLost(site.lease)) lost.push(site)
    return lost
  }

  /** Opens what was granted since we last looked. */
  async take(): Promise<void> {
    const { ledger, incarnation, signal, onFailure } = this.#parts
    while (this.#due !== 'none' && !signal.aborted) {
      const after = this.#due === 'new' ? this.#seen : 0
      this.#due = 'none'
      const leases = await ledger.leases(incarnation, after)
      for (const lease of leases) {
        this.#seen = Math.max(this.#seen, lease.grant)
        if (this.#has(lease.cell, lease.epoch)) continue
        // Not waited for: a name that is slow to look up holds nobody else up.
        void this.#open(lease).catch(error => onFailure(error as Error))
      }
    }
  }

  #has(cell: CellId, epoch: Epoch): boolean {
    if (this.#sites.get(cell)?.lease.epoch === epoch) return true
    if (!this.#openingCells.has(cell)) return false
    for (const lease of this.#opening) if (lease.cell === cell && lease.epoch === epoch) return true
    return false
  }

  async #open(lease: Lease): Promise<void> {
    const { siteOpener, ledger, clock, onChange, onFailure } = this.#parts
    const { cell, epoch } = lease
    this.#opening.add(lease)
    this.#openingCells.set(cell, (this.#openingCells.get(cell) ?? 0) + 1)
    try {
      if (this.#hasRunningAgents(cell)) await this.#endOld(cell)
      // A group that has enough of its sites in hand: one more would only stand in line.
      const backlog = siteOpener.backlogOf(cell)
      const site = backlog === null ? await siteOpener.open(lease) : null
      if (site === null) {
        await ledger.rest(cell, epoch, backlog?.until ?? clock.now() + TURN_LOOK_MS)
        return
      }
      // It may have been lost, and leased to us again, while it was being opened, or before we heard of it.
      if (this.#isSuperseded(lease) || this.#isLost(lease)) {
        siteOpener.close(site)
        return
      }
      if (this.#hasRunningAgents(cell)) await this.#endOld(cell)
      this.#sites.set(cell, site)
      const working = this.#crawl(site).catch(error => onFailure(error as Error))
      this.#working.set(cell, working)
    } finally {
      this.#opening.delete(lease)
      this.#openedOne(cell)
      onChange()
    }
  }

  #hasRunningAgents(cell: CellId): boolean {
    return this.#sites.has(cell) || this.#working.has(cell)
  }

  #openedOne(cell: CellId): void {
    const left = this.#openingCells.get(cell)! - 1
    if (left === 0) this.#openingCells.delete(cell)
    else this.#openingCells.set(cell, left)
  }

  /** Lost, and ours again: the work under the old lease ends first. */
  async #endOld(cell: CellId): Promise<void> {
    const old = this.#sites.get(cell)
    if (old) this.#parts.onLost([old])
    await this.#working.get(cell)
  }

  /** True when this cell is in hand, or about to be, under a later lease. */
  #isSuperseded({ cell, epoch }: Lease): boolean {
    if ((this.#sites.get(cell)?.lease.epoch ?? 0) > epoch) return true
    if (this.#openingCells.get(cell) === 1) return false
    for (const other of this.#opening) if (other.cell === cell && other.epoch > epoch) return true
    return false
  }

  /**
   * True when the lease had been granted before the last beat was answered, and was not in the answer. When
   * the beat was sent says nothing: it is sent again and again while the ledger is away, and other questions
   * overtake it.
   */
  #isLost({ cell, epoch, grant }: Lease): boolean {
    const { grants, held } = this.#lastBeat
    return grant <= grants && held.get(cell) !== epoch
  }

  async #crawl(site: SiteCrawl): Promise<void> {
    const { work, siteOpener, onGone, onChange } = this.#parts
    await work(site)
    this.#sites.delete(site.cell)
    this.#working.delete(site.cell)
    siteOpener.close(site)
    onGone(site)
    onChange()
  }
}
