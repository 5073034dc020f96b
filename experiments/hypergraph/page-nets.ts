/** Makes a net for each page with links to other sites, with exactly the wanted numbers of nets and pins. */
import { SeededRandom } from '../../src/model/index.js'
import type { DataSet } from './data-sets.js'
import type { SiteLinks } from './site-links.js'

export interface PageNets {
  readonly offsets: Uint32Array
  /** The page's own site first. */
  readonly pins: Uint32Array
}

const PAGE_SEED = 2
/** A site's first links are on more of its pages than its last ones. */
const SKEW = 2

export function pageNets(set: DataSet, pages: Uint32Array, { offsets, targets }: SiteLinks): PageNets {
  const degrees = Uint32Array.from({ length: set.sites }, (_, site) => offsets[site + 1] - offsets[site])
  const linking = degrees.map(degree => (degree > 0 ? 1 : 0))
  const nets = spread(set.nets, linking, degrees, pages)
  const fewest = nets.map((count, site) => Math.max(count, degrees[site]))
  const links = spread(set.pins - set.nets, fewest, nets, nets, degrees)
  const made = { offsets: new Uint32Array(set.nets + 1), pins: new Uint32Array(set.pins) }
  const random = new SeededRandom(PAGE_SEED)
  let net = 0
  let at = 0
  for (let site = 0; site < set.sites; site++) {
    const degree = degrees[site]
    const own = targets.subarray(offsets[site], offsets[site + 1])
    let linksLeft = links[site]
    let next = 0
    for (let left = nets[site]; left > 0; left--) {
      const count = linksOnPage(linksLeft, left, degree, random.next())
      // First each target gets a page, then pages repeat targets.
      const from = next < degree ? next : Math.floor(degree * random.next() ** SKEW)
      made.pins[at++] = site
      for (let i = 0; i < count; i++) made.pins[at++] = own[(from + i) % degree]
      next += count
      linksLeft -= count
      made.offsets[++net] = at
    }
  }
  return made
}

/** A number around the mean, such that the remaining pages can hold the remaining links. */
function linksOnPage(left: number, pages: number, degree: number, chance: number): number {
  const least = Math.max(1, left - (pages - 1) * degree)
  const most = Math.min(degree, left - (pages - 1))
  if (pages === 1) return left
  const mean = left / pages
  const drawn = Math.round(-Math.log(1 - chance) * (mean - 1) + 1)
  return Math.min(most, Math.max(least, drawn))
}

/**
 * Divides `total` into integers: `least[i]` each, the rest in proportion to `weights`. The cap of each is
 * caps[i], or caps[i] * times[i].
 */
function spread(
  total: number,
  least: Uint32Array | readonly number[],
  weights: Uint32Array,
  caps: Uint32Array,
  times?: Uint32Array,
): Uint32Array {
  const counts = Uint32Array.from(least)
  const room = (i: number) => (times === undefined ? caps[i] : caps[i] * times[i]) - counts[i]
  let left = total - counts.reduce((sum, count) => sum + count, 0)
  if (left < 0) throw new RangeError(`the laws ask for ${-left} more than ${total}`)
  for (let moved = 1; left > 0 && moved > 0; ) {
    let open = 0
    for (let i = 0; i < counts.length; i++) if (room(i) > 0) open += weights[i]
    const before = left
    const share = left / open
    for (let i = 0; i < counts.length && left > 0; i++) {
      if (room(i) <= 0 || weights[i] === 0) continue
      const more = Math.min(left, room(i), Math.max(1, Math.floor(share * weights[i])))
      counts[i] += more
      left -= more
    }
    moved = before - left
  }
  if (left > 0) throw new RangeError(`there is no room for ${left} of ${total}`)
  return counts
}
