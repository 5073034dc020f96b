/**
 * Nested neighbourhoods: the sites of a web in a row, divided into countries, which are halved repeatedly
 * down to blocks of a few sites. Two sites are the nearer, the smaller the smallest block that contains both.
 */
import type { Random } from '../../src/model/index.js'

/** A block is divided between these shares of it, at random, so that block sizes vary. */
const CUT_FROM = 0.35
const CUT_TO = 0.65
const FEWEST_SITES = 4

export class SiteBlocks {
  /** Each block holds the places `from` to `to`; the first one holds all. */
  readonly from: number[] = []
  readonly to: number[] = []
  /** The block around each block; -1 for the first. */
  readonly around: number[] = []
  readonly #smallest: Int32Array

  /** `edges`: the first place of each country, and the end of the last one. */
  constructor(edges: readonly number[], random: Random) {
    const sites = edges[edges.length - 1]
    this.#smallest = new Int32Array(sites)
    const all = this.#add(0, sites, -1)
    const open = edges.length === 2 ? [all] : []
    for (let country = 0; edges.length > 2 && country + 1 < edges.length; country++)
      open.push(this.#add(edges[country], edges[country + 1], all))
    for (let block = open.pop(); block !== undefined; block = open.pop())
      open.push(...this.#cut(block, random))
  }

  /** The smallest block that contains the place and at least this many sites. */
  withRoom(place: number, sites: number): number {
    let block = this.#smallest[place]
    while (this.around[block] >= 0 && this.to[block] - this.from[block] < sites) block = this.around[block]
    return block
  }

  #cut(block: number, random: Random): number[] {
    const [from, to] = [this.from[block], this.to[block]]
    if (to - from <= FEWEST_SITES) {
      this.#smallest.fill(block, from, to)
      return []
    }
    const middle = from + Math.round((to - from) * (CUT_FROM + (CUT_TO - CUT_FROM) * random.next()))
    return [this.#add(from, middle, block), this.#add(middle, to, block)]
  }

  #add(from: number, to: number, around: number): number {
    this.from.push(from)
    this.to.push(to)
    this.around.push(around)
    return this.from.length - 1
  }
}
