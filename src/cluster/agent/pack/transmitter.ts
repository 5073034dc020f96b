/**
 * Packs what the lanes bring and ships it: store first, fsynced, then one ledger transaction (D10). One pack
 * is under way at a time; the next fills meanwhile, and when that is full too the lanes wait, so memory is
 * bounded however slow the store is.
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
import type { Counters, SiteCrawl } from '../site/index.js'
import { FencedError } from './fenced-error.js'
import type { MessageCount } from './message-count.js'
import { OpenPack } from './open-pack.js'
import type { PageBudget } from './page-budget.js'
import type { SentLinks } from './sent-links.js'

const DISK_RETRY_MS = 2_000

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
  /** Links to other cells that one transaction takes, by what they need in memory. */
  readonly linkBytes: number
  /** Told after every commit, with the cells that gained inbox rows. */
  readonly onCommitted: (sites: readonly SiteCrawl[], targets: ReadonlySet<CellId>) => void
  readonly onLost: (sites: readonly SiteCrawl[]) => void
  /** The disk refuses to take the pack (or, with null, takes packs again). */
  readonly onDiskTrouble: (detail: string | null) => void
  readonly onFailure: (error: Error) => void
  /** Aborted when the agent stops: then a disk that is full is not waited for any more. */
  readonly stopping: StopSignal
}

export class Transmitter {
  readonly #parts: TransmitterParts
  #open: OpenPack
  #shipping: Promise<void> | null = null
  /** A pack was not committed: the ones after it build on it, so none of them may be. */
  #isBroken = false
  /** Builders whose packs are committed: one fills while the other is shipped. */
  readonly #spare: PackBuilder[] = []

  constructor(parts: TransmitterParts) {
    this.#parts = parts
    this.#open = this.#newPack()
  }

  /** The pack that is filling; ask anew for every page. */
  get pack(): OpenPack {
    return this.#open
  }

  get isShipping(): boolean {
    return this.#shipping !== null
  }

  /**
   * False while the open pack is full and the one before it is not yet committed. To be asked just before
   * something is added: one page may have as many links as a pack should hold, so each is let in by itself.
   */
  hasRoom(): boolean {
    if (!this.#open.isFull) return true
    if (this.#shipping === null) void this.seal()
    return this.#shipping === null || !this.#open.isFull
  }

  /**
   * Resolves when there may be room. Many wait, and the first of them may fill the pack: each asks `hasRoom`
   * again.
   */
  async shipped(): Promise<void> {
    await this.#shipping
  }

  /** Called after every page: seals when the pack is full or old. */
  poke(): void {
    if (this.#shipping || this.#open.isEmpty) return
    const age = this.#parts.clock.monotonic() - this.#open.openedAt
    if (this.#open.isFull || age >= LIMITS.packAgeMs) void this.seal()
  }

  /** Seals and ships the open pack; resolves when all that was handed in before is committed. */
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

  /** Takes lost cells out of the pack that is filling. */
  forget(sites: readonly SiteCrawl[]): void {
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
    const { clock, random, newBuilder, messageCount: received } = this.#parts
    return new OpenPack(uuid(random), received.agent, clock.monotonic(), this.#spare.pop() ?? newBuilder())
  }

  async #ship(pack: OpenPack): Promise<void> {
    const {
      clock,
      ledger,
      store,
      incarnation,
      grouping,
      counters,
      sent,
      messageCount: received,
    } = this.#parts
    counters.concluded += pack.requests
    while (!pack.isEmpty) {
      if (!(await this.#sendAhead(pack))) continue
      const files = await this.#store(pack)
      const news = await received.newIn(pack.received)
      const sending = pack.toLedger(incarnation, files, counters.concluded, news, grouping, clock.now())
      const answer = await ledger.commit(sending)
      if (answer.status === 'committed') {
        counters.packs++
        for (const url of pack.sentUrls()) sent.add(url)
        received.committed(news, counters)
        this.#acknowledge(pack, new Set(sending.appends.map(append => append.cell)))
        return
      }
      await store.undo()
      this.#apply(pack, answer)
    }
  }

  /**
   * Commits links before their pack, until what is left fits one transaction. A crash in between loses
   * nothing: the pages are fetched again, and links that are known already are dropped where they arrive. Who
   * stops does not wait for that either: such pages stay queued. False when the pack has become another one.
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

  /** The ledger did not take it: makes of the pack what it can take. */
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

  /** What the sites bring from now on builds on what is not committed: they are lost to us. */
  #drop(pack: OpenPack, sites: readonly SiteCrawl[]): void {
    const { budget, onLost } = this.#parts
    budget.settled(pack.drop(sites))
    onLost(sites)
  }

  /**
   * Cells that links were meant for were split meanwhile: the links go to those that stand in their place.
   */
  #reroute(
    pack: OpenPack,
    moved: readonly { readonly cell: CellId; readonly children: readonly CellId[] }[],
  ) {
    const { cells } = this.#parts
    for (const { cell, children } of moved) cells.learn(cell, children)
    pack.reroute(new Set(moved.map(({ cell }) => cell)), cells)
  }

  /** A full disk stops the crawl, not the pack: it is stored as soon as there is room again. */
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
    for (const site of sites) site.packCommitted()
    this.#parts.onCommitted(sites, targets)
  }
}
