/**
 * Port: which cell a URL belongs to. A site is one cell, unless it was split by path (`site#from#to`) or an
 * assignment divides it into shards (`site#3`). The name of a cell says which URLs it holds. Which cells
 * exist has to be learned: an agent may know of a split later than the ledger, which refuses links for a
 * closed cell.
 */
import { type CellId, cellOf, siteOfCell } from './cell.js'
import { pathStart, type Site, siteOf } from './url/index.js'

export interface CellMap {
  /** The cell of a URL, as far as is known here. Marks are ignored. */
  cellOf(url: string): CellId
  /** Selects the URLs of a cell among those of its site; null if the cell is the whole site. */
  partOf(cell: CellId): CellPart | null
  /** Replaces a cell that the ledger has closed by its children. */
  learn(cell: CellId, children: readonly CellId[]): void
}

/** True for URLs of the cell's site that the cell holds. */
export type CellPart = (url: string) => boolean

/** Paths from `from` up to but not including `to`, in the order of bytes; an empty end is open. */
export interface PathRange {
  readonly from: string
  readonly to: string
}

/** The name of the cell for a range; no normalised path contains a `#`. */
export function rangeCell(site: Site, { from, to }: PathRange): CellId {
  return from === '' && to === '' ? site : `${site}#${from}#${to}`
}

/** The paths of a cell; null for a shard by number. */
export function rangeOf(cell: CellId): PathRange | null {
  const first = cell.indexOf('#')
  if (first < 0) return WHOLE
  const second = cell.indexOf('#', first + 1)
  return second < 0 ? null : { from: cell.slice(first + 1, second), to: cell.slice(second + 1) }
}

const WHOLE: PathRange = { from: '', to: '' }

/** Path and query, without a mark: a page and its marks belong to one cell. */
export function pathOf(url: string): string {
  const start = pathStart(url)
  const mark = url.indexOf('#', start)
  return mark < 0 ? url.slice(start) : url.slice(start, mark)
}

export function holds({ from, to }: PathRange, path: string): boolean {
  return path >= from && (to === '' || path < to)
}

/** The cell that a URL belongs to, among all cells of a site or all children of a cell. */
export function childOf(cells: readonly CellId[], url: string): CellId {
  const path = pathOf(url)
  return cells.find(cell => holds(rangeOf(cell)!, path)) ?? cells[0]
}

/** Whole sites, and sites that were split by path. */
export class SplitCells implements CellMap {
  /** The cells of split sites in the order of paths, without gaps. */
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
