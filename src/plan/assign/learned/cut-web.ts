/**
 * Sites that are heavier than a part, cut before the plan is made: the web that was learned in, the same web
 * with the pieces of such a site in its place out. A piece is a vertex like any other, so both weights can be
 * kept within 5 % where the paper, with whole sites, reached 91.61 % (H4, H8).
 *
 * Which pages have which links is not learned: links of the site are dealt to its pieces evenly. Of links
 * between the pieces the worst is assumed, that every page has some to all others: so the fewest agents that
 * can hold the site share it, and no fewer messages come than the plan says of it.
 */
import { type CellId, LIMITS, siteOfCell } from '../../../model/index.js'
import type { LearnedSite, LearnedWeb } from './learned-web.js'

export interface HeavySite {
  readonly site: string
  readonly pages: number
  /** How many pieces it should have. */
  readonly pieces: number
}

/** A site and the cells in its place, in the order of their paths. */
export interface SiteSplit {
  readonly site: string
  readonly cells: readonly { readonly cell: CellId; readonly pages: number }[]
}

/** A part may be so much above its target. */
const EPSILON = 0.05
/** Smaller sites stay whole, and pieces have so many pages: fewer are not worth a lease of their own. */
const LEAST_PAGES = 100
const LEAST_PIECE_PAGES = 10
/** Of a part: small enough for what lies between the pieces to be filled with sites. */
const PIECES_A_PART = 4
/** Numbers dealt in steps of this share lie evenly, however many they are. */
const GOLDEN = (Math.sqrt(5) - 1) / 2

/** True for part of a site that was split by path, or a shard of one. */
export function isPiece(cell: CellId): boolean {
  return siteOfCell(cell) !== cell
}

type SiteWeight = Pick<LearnedSite, 'bytes' | 'pages'>

/** Bytes count as one a page where none are known (H2). */
export function weightsOf({ bytes, pages }: SiteWeight): readonly [number, number] {
  const counted = Math.max(1, pages)
  return [bytes > 0 ? bytes : counted, counted]
}

/** Those that are too heavy for the largest part, in bytes or in pages. */
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
    if (times <= 1 + EPSILON || pages < LEAST_PAGES) return []
    const most = Math.min(LIMITS.plannedPieces, Math.floor(pages / LEAST_PIECE_PAGES))
    return [{ site, pages, pieces: Math.min(most, Math.ceil(PIECES_A_PART * times)) }]
  })
}

/** The pieces of one site: where they are among the new sites, and up to which share of it each goes. */
interface Cut {
  readonly first: number
  readonly upTo: readonly number[]
  /** Pages with links that it has in all, and those of them that were dealt. */
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

type Nets = Pick<LearnedWeb, 'netOffsets' | 'pins' | 'counts'>

class NetList {
  readonly #offsets: number[] = [0]
  readonly #pins: number[] = []
  readonly #counts: number[] = []

  /** Pins that are there twice are one; a net of one pin is none. */
  add(pins: Iterable<number>, count: number): void {
    const own = new Set(pins)
    if (own.size < 2 || count <= 0) return
    for (const pin of own) this.#pins.push(pin)
    this.#offsets.push(this.#pins.length)
    this.#counts.push(count)
  }

  get nets(): Nets {
    return {
      netOffsets: Uint32Array.from(this.#offsets),
      pins: Uint32Array.from(this.#pins),
      counts: Float64Array.from(this.#counts),
    }
  }
}

function cutNets(
  { netOffsets, pins, counts }: LearnedWeb,
  placeOf: Uint32Array,
  cuts: ReadonlyMap<number, Cut>,
  sites: readonly LearnedSite[],
): Nets {
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
  return list.nets
}

function targetOf(v: number, placeOf: Uint32Array, cuts: ReadonlyMap<number, Cut>): number {
  const cut = cuts.get(v)
  if (cut === undefined) return placeOf[v]
  cut.dealtLinks += GOLDEN
  return cut.first + pieceAt(cut, cut.dealtLinks % 1)
}

/** The next `count` of its pages with links, piece by piece. */
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
