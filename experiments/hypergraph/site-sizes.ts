/** The number of pages of each site: a Zipf-Mandelbrot law with an exact sum, in an order given by a seed. */
import { type Random, SeededRandom } from '../../src/model/index.js'
import { shuffled } from '../../src/plan/partition/state/index.js'

/** The share of the site of rank r, from 0, is proportional to (r + 1 + shift) ^ -exponent. */
export interface SizeLaw {
  readonly exponent: number
  readonly shift: number
}

/** Sizes in descending order, at least 1 each, with the sum `pages`. */
export function sortedSizes(sites: number, pages: number, { exponent, shift }: SizeLaw): Uint32Array {
  const shares = new Float64Array(sites)
  let sum = 0
  for (let rank = 0; rank < sites; rank++) sum += shares[rank] = (rank + 1 + shift) ** -exponent
  const sizes = new Uint32Array(sites)
  const free = pages - sites
  let left = pages
  for (let rank = 0; rank < sites; rank++) left -= sizes[rank] = 1 + Math.floor((shares[rank] / sum) * free)
  // Rounding down leaves less than one page per site.
  for (let rank = 0; rank < left; rank++) sizes[rank]++
  return sizes
}

/** The sizes in the order given by the seed. */
export function dealt(sizes: Uint32Array, seed: number): Uint32Array {
  return Uint32Array.from(shuffled(sizes.length, new SeededRandom(seed)), i => sizes[i])
}

/** A normally distributed number (Box-Muller). */
export function gaussian(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
}
