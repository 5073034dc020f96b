/**
 * Port: which cell a URL belongs to. A site is one cell, unless it was split by path (`site#from#to`) or is
 * cut into shards by an assignment (`site#3`). What a cell holds can be told from its name alone; which cells
 * there are has to be learned, and an agent may know it later than the ledger, which refuses what is sent to
 * a cell that is no more.
 */
import { type CellId, cellOf, siteOfCell } from './cell.js'
import { pathStart, type Site, siteOf } from './url/index.js'

export interface CellMap {
  /** The cell a URL goes to, as far as is known here. Marks count for nothing. */
  cellOf(url: string): CellId
  /** Tells the URLs of a cell from the others of its site; null where the cell is the whole site. */
  partOf(cell: CellId): CellPart | null
  /** The ledger says that a cell is closed and others stand in its place. */
  learn(cell: CellId, children: readonly CellId[]): void
}

/** True for the URLs (of the cell's site) that the cell holds. */
export type CellPart = (url: string) => boolean

/** Paths from `from` on, up to but without `to`, in the order of their bytes; empty ends are open. */
export interface PathRange {
  readonly from: string
  readonly to: string
}

/** No normalised path holds a `#`. */
export function rangeCell(site: Site, { from, to }: PathRange): CellId {
  return from === '' && to === '' ? site : `${site}#${from}#${to}`
}

/** The paths of a cell; null of one that is a shard by number. */
export function rangeOf(cell: CellId): PathRange | null {
  const first = cell.indexOf('#')
  if (first < 0) return WHOLE
  const second = cell.indexOf('#', first + 1)
  return second < 0 ? null : { from: cell.slice(first + 1, second), to: cell.slice(second + 1) }
}

const WHOLE: PathRange = { from: '', to: '' }

/** Path and query, without a mark: a page and its marks are of one cell. */
export function pathOf(url: string): string {
  const start = pathStart(url)
  const mark = url.indexOf('#', start)
  return mark < 0 ? url.slice(start) : url.slice(start, mark)
}

export function holds({ from, to }: PathRange, path: string): boolean {
  return path >= from && (to === '' || path < to)
}

/** The one of the cells of a site, or of a cell that was split, that a URL belongs to. */
export function childOf(cells: readonly CellId[], url: string): CellId {
  const path = pathOf(url)
  return cells.find(cell => holds(rangeOf(cell)!, path)) ?? cells[0]
}

/** Sites as they are, and those of them that were split by path. */
export class SplitCells implements CellMap {
  /** Of split sites alone: their cells in the order of paths, without gaps. */
  readonly #cells = new Map<Site, readonly { readonly from: string; readonly cell: CellId }[]>()

  cellOf(url: string): CellId {
    if (this.#cells.size === 0) return cellOf(url)
    const site = siteOf(url)
    const cells = this.#cells.get(site)
    if (cells === undefined) return site
    const path = pathOf(url)
    let low = 0
    for (let high = cells.length; high - low > 1; ) {
      const middle = (low + high) >>> 1
      if (cells[middle].from <= path) low = middle
      else high = middle
    }
    return cells[low].cell
  }

  partOf(cell: CellId): CellPart | null {
    const range = rangeOf(cell)
    if (range === null || range === WHOLE) return null
    return url => holds(range, pathOf(url))
  }

  learn(cell: CellId, children: readonly CellId[]): void {
    const site = siteOfCell(cell)
    const known = this.#cells.get(site) ?? [{ from: '', cell: site }]
    if (!known.some(other => other.cell === cell)) return
    const fresh = children.map(child => ({ from: rangeOf(child)!.from, cell: child }))
    const cells = [...known.filter(other => other.cell !== cell), ...fresh]
    this.#cells.set(
      site,
      cells.sort((a, b) => (a.from < b.from ? -1 : 1)),
    )
  }
}
