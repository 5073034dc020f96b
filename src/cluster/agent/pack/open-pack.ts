/** A pack until it is sealed: bytes for the store, and rows for the ledger. */

import type { PackBuilder } from '../../../data/store/index.js'
import type {
  Append,
  Incarnation,
  LaneWork,
  LinkBatch,
  Pack,
  PackFile,
  ReceivedMessages,
} from '../../../ledger/index.js'
import {
  type CellId,
  type CellMap,
  type Discovery,
  filedUnder,
  type Grouping,
  LIMITS,
  type Millis,
} from '../../../model/index.js'
import type { SiteCrawl } from '../site/index.js'
import type { ReceivedLinks } from './message-count.js'
import { bytesOf, OpenPackCell } from './open-pack-cell.js'

/** A link to another cell, and that cell, which may have been split meanwhile. */
interface Link {
  readonly cell: CellId
  readonly row: Discovery
}

/** Links that are committed before their pack, and the batch for the ledger. */
export interface LinksAhead {
  readonly taken: ReadonlyMap<OpenPackCell, readonly Link[]>
  readonly batch: LinkBatch
}

export class OpenPack {
  readonly id: string
  readonly agent: string
  readonly openedAt: Millis
  readonly builder: PackBuilder
  /** Requests whose result is in this pack, retries included. */
  requests = 0
  readonly #packCells = new Map<SiteCrawl, OpenPackCell>()
  #rowBytes = 0

  constructor(id: string, agent: string, openedAt: Millis, builder: PackBuilder) {
    this.id = id
    this.agent = agent
    this.openedAt = openedAt
    this.builder = builder
  }

  get isEmpty(): boolean {
    return this.#packCells.size === 0
  }

  get isFull(): boolean {
    const { bytes, entries } = this.builder
    return (
      this.#rowBytes >= LIMITS.packRowBytes ||
      bytes + this.#rowBytes >= LIMITS.packBytes ||
      entries >= LIMITS.packPages
    )
  }

  /** Changes the memory that the rows of this pack take; `bytes` may be negative. */
  grow(bytes: number): void {
    this.#rowBytes += bytes
  }

  get sites(): SiteCrawl[] {
    return [...this.#packCells.keys()]
  }

  cellFor(site: SiteCrawl): OpenPackCell {
    let packCell = this.#packCells.get(site)
    if (!packCell) {
      packCell = new OpenPackCell(site, this)
      this.#packCells.set(site, packCell)
      site.packs.joined()
    }
    return packCell
  }

  get pages(): number {
    let pages = 0
    for (const packCell of this.#packCells.values()) pages += packCell.pages
    return pages
  }

  /** Takes out lost cells; returns how many pages they had. */
  drop(sites: readonly SiteCrawl[]): number {
    const before = this.pages
    for (const site of sites) {
      if (!this.#packCells.delete(site)) continue
      site.packs.dropped()
      this.builder.drop(site.leaseKey)
    }
    return before - this.pages
  }

  /** URLs that become durable in the inboxes of other cells with this pack. */
  *sentUrls(): Iterable<string> {
    for (const packCell of this.#packCells.values()) yield* packCell.appends.keys()
  }

  /**
   * The first links, as many as one transaction should write. Null if the transaction of the pack can write
   * all its links.
   */
  linksAhead(incarnation: Incarnation, grouping: Grouping, mostBytes: number): LinksAhead | null {
    const packCells = [...this.#packCells.values()].filter(({ appendBytes }) => appendBytes > 0)
    if (packCells.reduce((sum, { appendBytes }) => sum + appendBytes, 0) <= mostBytes) return null
    const taken = new Map<OpenPackCell, Link[]>()
    let bytes = 0
    for (const packCell of packCells) {
      const links: Link[] = []
      for (const link of packCell.appends.values()) {
        if (bytes >= mostBytes) break
        bytes += bytesOf(link.row)
        links.push(link)
      }
      if (links.length > 0) taken.set(packCell, links)
    }
    const sources = [...taken.keys()].map(({ site }) => ({ cell: site.cell, epoch: site.lease.epoch }))
    return { taken, batch: { incarnation, sources, appends: appendsOf(taken.values(), grouping) } }
  }

  /** Sends the links for these cells to the cells that the map names now. */
  reroute(moved: ReadonlySet<CellId>, cells: CellMap): void {
    for (const { appends } of this.#packCells.values()) {
      for (const [url, { cell, row }] of appends)
        if (moved.has(cell)) appends.set(url, { cell: cells.cellOf(url), row })
    }
  }

  /** The links that its cells consumed from other agents. */
  get received(): ReceivedLinks[] {
    return [...this.#packCells.values()].map(packCell => packCell.received)
  }

  toLedger(
    incarnation: Incarnation,
    files: readonly PackFile[],
    fetches: number,
    received: ReceivedMessages,
    grouping: Grouping,
    now: Millis,
  ): Pack {
    const packCells = [...this.#packCells.values()]
    return {
      id: this.id,
      incarnation,
      cells: packCells.map(packCell => packCell.toPackCell()),
      appends: appendsOf(
        packCells.map(packCell => packCell.appends.values()),
        grouping,
      ),
      files,
      fetches,
      lanes: laneWork(packCells),
      received,
      waits: packCells.flatMap(packCell => [...packCell.site.pace.groupWaits(now)]),
    }
  }
}

function laneWork(packCells: readonly OpenPackCell[]): LaneWork[] {
  const work = new Map<number, { pages: number; fetchMs: Millis }>()
  for (const packCell of packCells) {
    for (const [lane, { pages, fetchMs }] of packCell.lanes) {
      const known = work.get(lane)
      work.set(lane, { pages: (known?.pages ?? 0) + pages, fetchMs: (known?.fetchMs ?? 0) + fetchMs })
    }
  }
  return [...work].map(([lane, done]) => ({ lane, ...done }))
}

function appendsOf(packCells: Iterable<Iterable<Link>>, grouping: Grouping): Append[] {
  const rows = new Map<CellId, Discovery[]>()
  for (const links of packCells) {
    for (const { cell, row } of links) {
      const list = rows.get(cell)
      if (list) list.push(row)
      else rows.set(cell, [row])
    }
  }
  return [...rows].map(([cell, list]) => ({ cell, group: filedUnder(cell, grouping), rows: list }))
}
