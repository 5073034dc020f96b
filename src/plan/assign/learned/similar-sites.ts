/**
 * Finds similar sites by the sketches of their words (S17). First the mean of all sketches (the words of a
 * language, "home", "contact") is subtracted. Then sites are sorted by the signs of their numbers, in several
 * orders, and compared with their successors (locality-sensitive hashing), so the work grows linearly with
 * the number of sites.
 */

import { readSketch, SKETCH_NUMBERS } from '../../../model/bytes/index.js'
import { SIMILAR_SITES_MOST_SITES } from '../../limits.js'

export interface SimilarPair {
  readonly a: number
  readonly b: number
  /** The cosine of their sketches without the mean, up to 1. */
  readonly likeness: number
}

const ORDERS = 6
const COMPARED = 24
const KEPT = 6
/** A lower likeness may be chance, with so few numbers. */
const LEAST_LIKENESS = 0.25
const SIGNS = 30
/** The distance between the numbers that two orders begin with. */
const ORDER_STEP = 21

/** For each site with a sketch, the sites most similar to it, at most six. */
export function similarSites(sketches: readonly (string | undefined)[]): SimilarPair[] {
  const known = knownOf(sketches)
  const vectors = particular(known.map(({ numbers }) => numbers))
  const nearest = new Nearest(known.length)
  for (let order = 0; order < ORDERS; order++) {
    const sorted = sortedBySigns(vectors, known.length, order)
    for (let i = 0; i < sorted.length; i++)
      for (let j = i + 1; j < sorted.length && j <= i + COMPARED; j++)
        nearest.offer(sorted[i], sorted[j], product(vectors, sorted[i], sorted[j]))
  }
  return nearest.pairs().map(({ a, b, likeness }) => ({ a: known[a].vertex, b: known[b].vertex, likeness }))
}

interface Known {
  readonly vertex: number
  readonly numbers: Int8Array
}

function knownOf(sketches: readonly (string | undefined)[]): Known[] {
  const known: Known[] = []
  for (const [vertex, sketch] of sketches.entries()) {
    const numbers = sketch === undefined ? null : readSketch(sketch)
    if (numbers !== null && known.length < SIMILAR_SITES_MOST_SITES) known.push({ vertex, numbers })
  }
  return known
}

/** The sketches as unit vectors, with their mean subtracted, again of length 1. */
function particular(all: readonly Int8Array[]): Float32Array {
  const vectors = new Float32Array(all.length * SKETCH_NUMBERS)
  const mean = new Float64Array(SKETCH_NUMBERS)
  for (const [v, numbers] of all.entries()) {
    vectors.set(numbers, v * SKETCH_NUMBERS)
    scaleToOne(vectors, v)
    for (let i = 0; i < SKETCH_NUMBERS; i++) mean[i] += vectors[v * SKETCH_NUMBERS + i] / all.length
  }
  for (let v = 0; v < all.length; v++) {
    for (let i = 0; i < SKETCH_NUMBERS; i++) vectors[v * SKETCH_NUMBERS + i] -= mean[i]
    scaleToOne(vectors, v)
  }
  return vectors
}

function scaleToOne(vectors: Float32Array, v: number): void {
  const length = Math.sqrt(product(vectors, v, v))
  // Of a site that equals the mean only rounding errors are left.
  const scale = length > 1e-6 ? 1 / length : 0
  for (let i = v * SKETCH_NUMBERS; i < (v + 1) * SKETCH_NUMBERS; i++) vectors[i] *= scale
}

function product(vectors: Float32Array, a: number, b: number): number {
  let sum = 0
  const [atA, atB] = [a * SKETCH_NUMBERS, b * SKETCH_NUMBERS]
  for (let i = 0; i < SKETCH_NUMBERS; i++) sum += vectors[atA + i] * vectors[atB + i]
  return sum
}

/** Sites that agree in the first signs of this order become neighbours; the more signs agree, the nearer. */
function sortedBySigns(vectors: Float32Array, count: number, order: number): number[] {
  const keys = new Float64Array(count)
  for (let v = 0; v < count; v++) {
    let signs = 0
    for (let i = 0; i < SIGNS; i++) {
      const number = (order * ORDER_STEP + i) % SKETCH_NUMBERS
      signs = 2 * signs + (vectors[v * SKETCH_NUMBERS + number] > 0 ? 1 : 0)
    }
    keys[v] = signs * SIMILAR_SITES_MOST_SITES + v
  }
  return Array.from(keys.sort(), key => key % SIMILAR_SITES_MOST_SITES)
}

/** The most similar sites of each site, in two arrays for all of them. */
class Nearest {
  readonly #count: number
  readonly #others: Int32Array
  readonly #likeness: Float32Array

  constructor(count: number) {
    this.#count = count
    this.#others = new Int32Array(count * KEPT).fill(-1)
    this.#likeness = new Float32Array(count * KEPT)
  }

  offer(a: number, b: number, likeness: number): void {
    if (likeness < LEAST_LIKENESS) return
    this.#keep(a, b, likeness)
    this.#keep(b, a, likeness)
  }

  /** A pair appears twice if each site is among the best of the other. */
  pairs(): SimilarPair[] {
    const pairs: SimilarPair[] = []
    for (let a = 0; a < this.#count; a++)
      for (let i = a * KEPT; i < (a + 1) * KEPT; i++)
        if (this.#others[i] >= 0) pairs.push({ a, b: this.#others[i], likeness: this.#likeness[i] })
    return pairs
  }

  #keep(own: number, other: number, likeness: number): void {
    let least = own * KEPT
    for (let i = own * KEPT; i < (own + 1) * KEPT; i++) {
      if (this.#others[i] === other) return
      if (this.#likeness[i] < this.#likeness[least]) least = i
    }
    if (likeness <= this.#likeness[least]) return
    this.#others[least] = other
    this.#likeness[least] = likeness
  }
}
