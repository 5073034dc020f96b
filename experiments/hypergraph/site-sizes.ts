/**
 * How many pages each site has: a Zipf-Mandelbrot law with an exact sum, dealt out to the sites by a seed.
 */
import { SeededRandom } from '../../src/model/index.js'

/** The site of rank r, from 0, has a share of the pages like (r + 1 + shift) ^ -exponent. */
export interface SizeLaw {
  readonly exponent: number
  readonly shift: number
}

/** The largest first; each at least 1, together exactly `pages`. */
export function sortedSizes(sites: number, pages: number, { exponent, shift }: SizeLaw): Uint32Array {
  const shares = new Float64Array(sites)
  let sum = 0
  for (let rank = 0; rank < sites; rank++) sum += shares[rank] = (rank + 1 + shift) ** -exponent
  const sizes = new Uint32Array(sites)
  const free = pages - sites
  let left = pages
  for (let rank = 0; rank < sites; rank++) left -= sizes[rank] = 1 + Math.floor((shares[rank] / sum) * free)
  // What rounding down has left is less than a page a site.
  for (let rank = 0; rank < left; rank++) sizes[rank]++
  return sizes
}

/** The same numbers in an order of the seed's own. */
export function dealt(sizes: Uint32Array, seed: number): Uint32Array {
  const random = new SeededRandom(seed)
  const order = sizes.slice()
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random.next() * (i + 1))
    const other = order[j]
    order[j] = order[i]
    order[i] = other
  }
  return order
}
