/**
 * Sites that are heavier than a part are split before the plan is made: here they are replaced by their
 * pieces in the learned web. A piece is a vertex like any other, so bytes and pages can both be kept within 5
 * %, where the paper, with whole sites, reached 91.61 %.
 *
 * The learned web does not say which page has which links. So the links of a site are dealt evenly to its
 * pieces, and each page is assumed to have links to all other pieces, which is the worst case. The plan then
 * puts the pieces on the fewest agents that can hold them, and never predicts too few messages.
 */

import { type CellId, LIMITS, siteOfCell } from '../../../model/index.js'
import { CUT_WEB_LEAST_PAGES, LEAST_PIECE_PAGES } from '../../limits.js'
import type { LearnedSite, LearnedWeb } from './learned-web.js'
import { NetList } from './net-list.js'

export interface HeavySite {
  readonly site: string
  readonly pages: number
  /** The number of pieces it should have. */
  readonly pieces: number
}

/** A site and the cells that replace it, in the order of their paths. */
export interface SiteSplit {
  readonly site: string
  readonly cells: readonly { readonly cell: CellId; readonly pages: number }[]
}

/** A part may exceed its target by this share. */
const EPSILON = 0.05
/** Pieces are at most a quarter of a part, so that whole sites can fill the gaps. */
const PIECES_A_PART = 4
/** Multiples of this number, modulo 1, are spread evenly, whatever their count. */
const GOLDEN = (Math.sqrt(5) - 1) / 2

/** Whether the cell is a piece or a shard of a site. */
export function isPiece(cell: CellId): boolean {
  return siteOfCell(cell) !== cell
}

type SiteWeight = Pick<LearnedSite, 'bytes' | 'pages'>

/** Bytes and pages of a site; if the bytes are unknown, each page counts as one byte. */
export function weightsOf({ bytes, pages }: SiteWeight): readonly [number, number] {
  const counted = Math.max(1, pages)
  return [bytes > 0 ? bytes : counted, counted]
}

/** Sites that are heavier than the largest part, in bytes or in pages. */
export function heavySitesOf(
  sites: readonly (SiteWeight & Pick<LearnedSite, 'site'>)[],
  shares: readonly number[],
): HeavySite[] {
  const weights = sites.map(weightsOf)
  const sum = shares.reduce((total, share) => total + share, 0)
  const largest = Math.max(...shares) / sum
  const rooms = [0, 1].map(r => largest * weights.reduce((total, own) => total + own[r], 0))
  return sites.flatMap(({ site }, v) => {
    const times = Math.max(...rooms.map((room, r) => weights[v][r] / room))
    const [, pages] = weights[v]
    if (times <= 1 + EPSILON || pages < CUT_WEB_LEAST_PAGES) return []
    const most = Math.min(LIMITS.plannedPieces, Math.floor(pages / LEAST_PIECE_PAGES))
    return [{ site, pages, pieces: Math.min(most, Math.ceil(PIECES_A_PART * times)) }]
  })
}

/** The pieces of one site: the place of the first among the new sites, and the share at which each ends. */
interface Cut {
  readonly first: number
  readonly upTo: readonly number[]
  /** The number of its pages with links, and of those that were dealt. */
  sourcePages: number
  dealtPages: number
  dealtLinks: number
}

export function cutWeb(learned: LearnedWeb, splits: readonly SiteSplit[]): LearnedWeb {
  if (splits.length === 0) return learned
  const bySite = new Map(splits.map(split => [split.site, split]))
  const sites: LearnedSite[] = []
  const placeOf = new Uint32Array(learned.sites.length)
  const cuts = new Map<number, Cut>()
  for (const [v, site] of learned.sites.entries()) {
    const split = bySite.get(site.site)
    placeOf[v] = sites.length
    if (split === undefined) sites.push(site)
    else {
      cuts.set(v, cutOf(split, sites.length))
      const all = pagesOf(split)
      for (const { cell, pages } of split.cells) sites.push(pieceOf(site, cell, pages / all))
    }
  }
  return { sites, ...cutNets(learned, placeOf, cuts, sites) }
}

function pagesOf({ cells }: SiteSplit): number {
  return cells.reduce((sum, { pages }) => sum + pages, 0)
}

function cutOf(split: SiteSplit, first: number): Cut {
  const all = pagesOf(split)
  let sum = 0
  const upTo = split.cells.map(({ pages }) => {
    sum += pages
    return sum / all
  })
  return { first, upTo, sourcePages: 0, dealtPages: 0, dealtLinks: 0 }
}

function pieceOf(site: LearnedSite, cell: CellId, share: number): LearnedSite {
  const { pages, bytes, fetchMs, checked, changed } = site
  return {
    ...site,
    site: cell,
    pages: pages * share,
    bytes: bytes * share,
    fetchMs: fetchMs * share,
    checked: checked * share,
    changed: changed * share,
  }
}

function cutNets(
  { netOffsets, pins, counts }: LearnedWeb,
  placeOf: Uint32Array,
  cuts: ReadonlyMap<number, Cut>,
  sites: readonly LearnedSite[],
): Pick<LearnedWeb, 'netOffsets' | 'pins' | 'counts'> {
  const list = new NetList()
  for (let net = 0; net < counts.length; net++) {
    const cut = cuts.get(pins[netOffsets[net]])
    if (cut) cut.sourcePages += counts[net]
  }
  for (let net = 0; net < counts.length; net++) {
    const [source, ...targets] = pins.subarray(netOffsets[net], netOffsets[net + 1])
    const places = targets.map(v => targetOf(v, placeOf, cuts))
    const cut = cuts.get(source)
    if (cut === undefined) list.add([placeOf[source], ...places], counts[net])
    else for (const [piece, count] of dealt(cut, counts[net])) list.add([piece, ...places], count)
  }
  for (const { first, upTo } of cuts.values())
    for (const piece of upTo.keys()) {
      const others = Array.from(upTo, (_, i) => first + ((piece + i) % upTo.length))
      list.add(others, sites[first + piece].pages)
    }
  const { netOffsets: offsets, pins: places, netCosts } = list.hypergraph(new Float64Array(sites.length), 1)
  return { netOffsets: offsets, pins: places, counts: netCosts }
}

function targetOf(v: number, placeOf: Uint32Array, cuts: ReadonlyMap<number, Cut>): number {
  const cut = cuts.get(v)
  if (cut === undefined) return placeOf[v]
  cut.dealtLinks += GOLDEN
  return cut.first + pieceAt(cut, cut.dealtLinks % 1)
}

/** Deals the next `count` pages with links, piece by piece. */
function* dealt(cut: Cut, count: number): Generator<[piece: number, count: number]> {
  const { first, upTo, sourcePages } = cut
  let from = cut.dealtPages
  cut.dealtPages += count
  for (let piece = pieceAt(cut, from / sourcePages); piece < upTo.length; piece++) {
    const to =
      piece === upTo.length - 1 ? cut.dealtPages : Math.min(cut.dealtPages, upTo[piece] * sourcePages)
    if (to > from) yield [first + piece, to - from]
    from = Math.max(from, to)
    if (from >= cut.dealtPages) return
  }
}

function pieceAt({ upTo }: Cut, share: number): number {
  const piece = upTo.findIndex(end => share < end)
  return piece < 0 ? upTo.length - 1 : piece
}
