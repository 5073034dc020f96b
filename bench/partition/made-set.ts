/** A set of 5 M pins, made to order: the sites of a large crawl, a net per page. */
import { join } from 'node:path'
import { siteHypergraph, writeHypergraph } from '../../test/kit/made-hypergraphs.js'
import type { BenchSet } from './sets.js'

const SITES = 100_000
const PAGES = 1_440_000

export function writeLargeSet(folder: string): BenchSet & { readonly pins: number } {
  const file = join(folder, 'large.hgr')
  const weights = join(folder, 'large.vw')
  const hypergraph = siteHypergraph({ sites: SITES, pages: PAGES, seed: 1 })
  writeHypergraph(file, hypergraph, weights)
  return { name: 'made', file, weights, limits: {}, expansion: 'star', pins: hypergraph.pins.length }
}
