/**
 * Ships packs: store first, with fsync, then one ledger transaction (D10). One pack is shipped at a time
 * while the next fills. When that one is full too the lanes wait, so memory is bounded however slow the store
 * is.
 */

import type { PackBuilder, PackStore, StoredFile } from '../../../data/store/index.js'
import type { CommitResult, Incarnation, Ledger } from '../../../ledger/index.js'
import {
  type CellId,
  type CellMap,
  type Clock,
  type Grouping,
  LIMITS,
  type Random,
  type StopSignal,
  sleep,
  uuid,
} from '../../../model/index.js'
import { DISK_RETRY_MS } from '../../limits.js'
import type { Counters, SiteCrawl } from '../site/index.js'
import type { MessageCount } from './message-count.js'
import { OpenPack } from './open-pack.js'
import type { PageBudget } from './page-budget.js'
import type { SentLinks } from './sent-links.js'

/** The ledger has closed this incarnation: others hold its cells now. A new incarnation may begin. */
export class FencedError extends Error {}

/** The last pack could not be stored; nothing of it was acknowledged. */
class DiskRefusedError extends Error {
  readonly code: string

  constructor(detail: string, code: string) {
    super(detail)
    this.code = code
  }
}

export interface TransmitterParts {
  readonly clock: Clock
  readonly random: Random
  readonly ledger: Ledger
  readonly store: PackStore
  readonly incarnation: Incarnation
  readonly grouping: Grouping
  readonly cells: CellMap
  readonly sent: SentLinks
  readonly messageCount: MessageCount
  readonly budget: PageBudget
  readonly counters: Counters
  readonly newBuilder: () => PackBuilder
  /** How many bytes of links to other cells one transaction takes, counted as they are in memory. */
  readonly linkBytes: number
  /** Called after every commit; `targets` are the cells that gained inbox rows. */
  readonly onCommitted: (sites: readonly SiteCrawl[], targets: ReadonlySet<CellId>) => void
  readonly onLost: (sites: readonly SiteCrawl[]) => void
  /** Called when the store refuses a pack, and with null when it accepts packs again. */
  readonly onDiskTrouble: (detail: string | null) => void
  readonly onFailure: (error: Error) => void
  /** Aborts when the agent stops: it no longer waits for a full disk then. */
  readonly stopping: StopSignal
}

export class Transmitter {
  readonly #parts: TransmitterParts
  #open: OpenPack
  #shipping: Promise<void> | null = null
  /** A pack was not committed. Later packs build on it, so none of them may be committed. */
  #isBroken = false
  /** Builders of committed packs, to be used again. */
  readonly #spare: PackBuilder[] = []

  constructor(parts: TransmitterParts) {
    this.#parts = parts
    this.#open = this.#newPack()
  }

  /** The pack that is filling. Get it anew for every page. */
  get pack(): OpenPack {
    return this.#open
  }

  get isShipping(): boolean {
    return this.#shipping !== null
  }

  /**
   * False while the open pack is full and the one before it is not committed. Call it right before you add a
   * page: one page may have as many links as a whole pack should hold.
   */
  hasRoom(): boolean {
    if (!this.#open.isFull) return true
    if (this.#shipping === null) void this.seal()
    return this.#shipping === null || !this.#open.isFull
  }

  /** Resolves when there may be room. Call `hasRoom` again then: another waiter may have filled the pack. */
  async shipped(): Promise<void> {
    await this.#shipping
  }

  /** Called after every page: seals when the pack is full or old. */
  poke(): void {
    if (this.#shipping || this.#open.isEmpty) return
    const age = this.#parts.clock.monotonic() - this.#open.openedAt
    if (this.#open.isFull || age >= LIMITS.packAgeMs) void this.seal()
  }

  /** Seals and ships the open pack; resolves when everything that was added before is committed. */
  async seal(): Promise<void> {
    while (this.#shipping) await this.#shipping
    if (this.#open.isEmpty || this.#isBroken) return
    const pack = this.#open
    this.#open = this.#newPack()
    this.#shipping = this.#ship(pack).then(
      () => {
        pack.builder.reset()
        this.#spare.push(pack.builder)
        this.#end(null)
      },
      error => this.#end(error as Error),
    )
    await this.#shipping
  }

  /** The leases of these cells are lost: takes the cells out of the open pack, and their lanes stop. */
  lose(sites: readonly SiteCrawl[]): void {
    for (const site of sites) {
      site.leave('lost')
      site.wake.notify()
    }
    this.#parts.budget.settled(this.#open.drop(sites))
  }

  #end(error: Error | null): void {
    this.#shipping = null
    if (error) {
      this.#isBroken = true
      this.#parts.onFailure(error)
    } else if (this.#open.isFull) void this.seal()
  }

  #newPack(): OpenPack {
    const { clock, random, newBuilder, messageCount } = this.#parts
    return new OpenPack(
      uuid(random),
      messageCount.agent,
      clock.monotonic(),
      this.#spare.pop() ?? newBuilder(),
    )
  }

  async #ship(pack: OpenPack): Promise<void> {
    const { clock, ledger, store, incarnation, grouping, counters, sent, messageCount } = this.#parts
    counters.concluded += pack.requests
    while (!pack.isEmpty) {
      if (!(await this.#sendAhead(pack))) continue
      const files = await this.#store(pack)
      const received = await messageCount.newIn(pack.received)
      const sending = pack.toLedger(incarnation, files, counters.concluded, received, grouping, clock.now())
      const answer = await ledger.commit(sending)
      if (answer.status === 'committed') {
        counters.packs++
        for (const url of pack.sentUrls()) sent.add(url)
        messageCount.committed(received, counters)
        this.#acknowledge(pack, new Set(sending.appends.map(append => append.cell)))
        return
      }
      await store.undo()
      this.#apply(pack, answer)
    }
  }

  /**
   * Commits links before their pack, until the rest fits one transaction; false if the pack was changed. A
   * crash in between loses nothing: the pages are fetched again, and repeated links are dropped where they
   * arrive. An agent that stops leaves out the pages of such links; they stay queued.
   */
  async #sendAhead(pack: OpenPack): Promise<boolean> {
    const { ledger, incarnation, grouping, sent, linkBytes, stopping } = this.#parts
    for (;;) {
      const ahead = pack.linksAhead(incarnation, grouping, linkBytes)
      if (ahead === null) return true
      if (stopping.aborted) {
        this.#drop(
          pack,
          [...ahead.taken.keys()].map(({ site }) => site),
        )
        return false
      }
      const answer = await ledger.appendLinks(ahead.batch)
      if (answer.status !== 'committed') {
        this.#apply(pack, answer)
        return false
      }
      for (const [packCell, links] of ahead.taken) {
        packCell.sent(links)
        for (const { row } of links) sent.add(row.url)
      }
      this.#parts.onCommitted([], new Set(ahead.batch.appends.map(({ cell }) => cell)))
    }
  }

  /** The ledger has refused the pack: changes the pack so that it can be committed. */
  #apply(pack: OpenPack, answer: Exclude<CommitResult, { status: 'committed' }>): void {
    switch (answer.status) {
      case 'refused':
        throw new FencedError(`the ledger refused a pack: ${answer.status}`)
      case 'moved':
        this.#reroute(pack, answer.cells)
        return
      case 'stale': {
        this.#parts.counters.stalePacks++
        const stale = new Set(answer.cells)
        this.#drop(
          pack,
          pack.sites.filter(site => stale.has(site.cell)),
        )
      }
    }
  }

  /**
   * Removes the sites from a pack. Their later packs would build on the removed rows, so their cells are
   * given up.
   */
  #drop(pack: OpenPack, sites: readonly SiteCrawl[]): void {
    const { budget, onLost } = this.#parts
    budget.settled(pack.drop(sites))
    this.lose(sites)
    onLost(sites)
  }

  /** Sends the links to cells that were split to the cells that replace them. */
  #reroute(
    pack: OpenPack,
    moved: readonly { readonly cell: CellId; readonly children: readonly CellId[] }[],
  ) {
    const { cells } = this.#parts
    for (const { cell, children } of moved) cells.learn(cell, children)
    pack.reroute(new Set(moved.map(({ cell }) => cell)), cells)
  }

  /** Repeats until the store takes the pack: a full disk stops the crawl, but loses no pack. */
  async #store(pack: OpenPack): Promise<readonly StoredFile[]> {
    const { store, clock, onDiskTrouble, stopping } = this.#parts
    for (;;) {
      const result = await store.append(pack.builder.toPack(pack.id))
      if (result.ok) {
        onDiskTrouble(null)
        return result.files
      }
      onDiskTrouble(result.detail)
      if (stopping.aborted) throw new DiskRefusedError(result.detail, result.code)
      await sleep(clock, DISK_RETRY_MS, stopping)
    }
  }

  #acknowledge(pack: OpenPack, targets: ReadonlySet<CellId>): void {
    const sites = pack.sites
    this.#parts.budget.settled(pack.pages)
    for (const site of sites) site.packs.committed()
    this.#parts.onCommitted(sites, targets)
  }
}
