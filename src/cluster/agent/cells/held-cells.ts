/** The cells that this agent holds: opens each leased cell once, has it crawled, and closes it. */

import type { Heartbeat, Incarnation, Ledger } from '../../../ledger/index.js'
import type { CellId, Clock, Epoch, Lease, StopSignal, WakeUp } from '../../../model/index.js'
import { TURN_LOOK_MS } from '../../limits.js'
import type { SiteCrawl } from '../site/index.js'
import type { SiteOpener } from './site-opener.js'

export interface HeldCellsParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly incarnation: Incarnation
  readonly siteOpener: SiteOpener
  /** Once it aborts, no more cells are opened. */
  readonly signal: StopSignal
  /** Notified when a cell was opened or closed. */
  readonly wake: WakeUp
  readonly onFailure: (error: Error) => void
}

/** What the agent does with the sites it holds. */
export interface SiteTasks {
  /** Crawls a site until its cell is finished, released or lost. */
  run(site: SiteCrawl): Promise<void>
  /**
   * The lease is lost, or another one has replaced it: everything that memory holds for these sites must be
   * dropped.
   */
  lose(sites: readonly SiteCrawl[]): void
  /** The site is closed. */
  closed(site: SiteCrawl): void
}

export class HeldCells {
  readonly #parts: HeldCellsParts
  readonly #sites = new Map<CellId, SiteCrawl>()
  /** The task that crawls each cell, under its present lease or an earlier one. */
  readonly #working = new Map<CellId, Promise<void>>()
  /** Leases that are being opened. */
  readonly #opening = new Set<Lease>()
  /** How many of them each cell has: mostly one. */
  readonly #openingCells = new Map<CellId, number>()
  /** The leases that the last heartbeat listed, and the last grant it knew. */
  #lastBeat: { readonly grants: number; readonly held: ReadonlyMap<CellId, Epoch> } = {
    grants: 0,
    held: new Map(),
  }
  /** The last grant that we know, and which leases have to be read from the ledger. */
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

  /** Cells that are open or being opened. */
  get count(): number {
    return this.#sites.size + this.#opening.size
  }

  /** The names of these cells. */
  *cells(): Iterable<CellId> {
    yield* this.#sites.keys()
    yield* this.#openingCells.keys()
  }

  /** The last grant that we know. */
  get seen(): number {
    return this.#seen
  }

  /** Call this when more cells may have been granted. */
  recheck(): void {
    if (this.#due === 'none') this.#due = 'new'
  }

  /** Compares with the leases in the ledger: returns the lost sites, and notes if cells are missing here. */
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

  /** Opens the cells that were granted since the last call. */
  async open(tasks: SiteTasks): Promise<void> {
    const { ledger, incarnation, signal, onFailure } = this.#parts
    while (this.#due !== 'none' && !signal.aborted) {
      const after = this.#due === 'new' ? this.#seen : 0
      this.#due = 'none'
      const leases = await ledger.leases(incarnation, after)
      for (const lease of leases) {
        this.#seen = Math.max(this.#seen, lease.grant)
        if (this.#has(lease.cell, lease.epoch)) continue
        // Not awaited: a slow name lookup must not delay the other cells.
        void this.#open(lease, tasks).catch(error => onFailure(error as Error))
      }
    }
  }

  #has(cell: CellId, epoch: Epoch): boolean {
    if (this.#sites.get(cell)?.lease.epoch === epoch) return true
    if (!this.#openingCells.has(cell)) return false
    for (const lease of this.#opening) if (lease.cell === cell && lease.epoch === epoch) return true
    return false
  }

  async #open(lease: Lease, tasks: SiteTasks): Promise<void> {
    const { siteOpener, ledger, clock, wake, onFailure } = this.#parts
    const { cell, epoch } = lease
    this.#opening.add(lease)
    this.#openingCells.set(cell, (this.#openingCells.get(cell) ?? 0) + 1)
    try {
      if (this.#isRunning(cell)) await this.#endOld(cell, tasks)
      // If the group has enough open sites, one more would only wait.
      const backlog = siteOpener.backlogOf(cell)
      const site = backlog === null ? await siteOpener.open(lease) : null
      if (site === null) {
        await ledger.rest(cell, epoch, backlog?.until ?? clock.now() + TURN_LOOK_MS)
        return
      }
      // While it was being opened, the cell may have been lost, and leased to this agent again.
      if (this.#isSuperseded(lease) || this.#isLost(lease)) {
        siteOpener.close(site)
        return
      }
      if (this.#isRunning(cell)) await this.#endOld(cell, tasks)
      this.#sites.set(cell, site)
      const working = this.#crawl(site, tasks).catch(error => onFailure(error as Error))
      this.#working.set(cell, working)
    } finally {
      this.#opening.delete(lease)
      this.#openedOne(cell)
      wake.notify()
    }
  }

  #isRunning(cell: CellId): boolean {
    return this.#sites.has(cell) || this.#working.has(cell)
  }

  #openedOne(cell: CellId): void {
    const left = this.#openingCells.get(cell)! - 1
    if (left === 0) this.#openingCells.delete(cell)
    else this.#openingCells.set(cell, left)
  }

  /** Stops the task that runs under an older lease of the cell, and waits for its end. */
  async #endOld(cell: CellId, tasks: SiteTasks): Promise<void> {
    const old = this.#sites.get(cell)
    if (old) tasks.lose([old])
    await this.#working.get(cell)
  }

  /** True if the cell is open, or being opened, under a later lease. */
  #isSuperseded({ cell, epoch }: Lease): boolean {
    if ((this.#sites.get(cell)?.lease.epoch ?? 0) > epoch) return true
    if (this.#openingCells.get(cell) === 1) return false
    for (const other of this.#opening) if (other.cell === cell && other.epoch > epoch) return true
    return false
  }

  /**
   * True if the ledger had granted the lease when it answered the last heartbeat, and did not list it. Grant
   * numbers are compared, not times: while the ledger is unavailable a heartbeat is repeated, and later calls
   * may be answered before it.
   */
  #isLost({ cell, epoch, grant }: Lease): boolean {
    const { grants, held } = this.#lastBeat
    return grant <= grants && held.get(cell) !== epoch
  }

  async #crawl(site: SiteCrawl, tasks: SiteTasks): Promise<void> {
    const { siteOpener, wake } = this.#parts
    await tasks.run(site)
    this.#sites.delete(site.cell)
    this.#working.delete(site.cell)
    siteOpener.close(site)
    tasks.closed(site)
    wake.notify()
  }
}
