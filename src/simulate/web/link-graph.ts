/** The link graph of a generated web: between pages for PageRank, between sites for partitions. */
import { LinkTarget } from './out-links.js'
import type { WebPlan } from './web-plan.js'

/**
 * Edges of a page are its distinct link targets among pages, itself left out. Row `v` is [start[v], start[v +
 * 1]).
 */
interface PageGraph {
  readonly start: Uint32Array
  readonly target: Uint32Array
}

/** 40 links a page at 4 bytes each: 160 MB. */
const MOST_PAGES = 1_000_000

export interface PagerankOptions {
  readonly damping?: number
  /** Ends when the ranks of all pages together move by less. */
  readonly tolerance?: number
}

/**
 * PageRank of every page, by `plan.idOf`; sums to 1. Redirects are looked through, links count once per page.
 */
export function pagerank(plan: WebPlan, options: PagerankOptions = {}): Float64Array {
  const damping = options.damping ?? 0.85
  const tolerance = options.tolerance ?? 1e-10
  const graph = pageGraph(plan)
  const count = plan.pages
  let rank = new Float64Array(count).fill(1 / count)
  let next = new Float64Array(count)
  let moved = 1
  while (moved > tolerance) {
    const idle = spread(graph, rank, next)
    const floor = (1 - damping + damping * idle) / count
    moved = 0
    for (let page = 0; page < count; page++) {
      next[page] = floor + damping * next[page]
      moved += Math.abs(next[page] - rank[page])
    }
    const kept = rank
    rank = next
    next = kept
  }
  return rank
}

/** Each page passes its rank on in equal parts; returns the rank of those that link nowhere. */
function spread({ start, target }: PageGraph, rank: Float64Array, next: Float64Array): number {
  next.fill(0)
  let idle = 0
  for (let page = 0; page < rank.length; page++) {
    const from = start[page]
    const to = start[page + 1]
    if (from === to) idle += rank[page]
    const part = rank[page] / (to - from)
    for (let edge = from; edge < to; edge++) next[target[edge]] += part
  }
  return idle
}

function pageGraph(plan: WebPlan): PageGraph {
  if (plan.pages > MOST_PAGES)
    throw new RangeError(`PageRank holds the link graph: at most ${MOST_PAGES} pages`)
  const links = plan.newOutLinks()
  const start = new Uint32Array(plan.pages + 1)
  let target = new Uint32Array(plan.pages * Math.ceil(plan.linksPerPage) + 1_024)
  // Last source that linked to a page: tells a repeated link of one page without a set.
  const lastSource = new Float64Array(plan.pages).fill(-1)
  let edges = 0
  let id = 0
  for (let site = 0; site < plan.sites; site++) {
    for (let page = 0; page < plan.sizeOf(site); page++, id++) {
      plan.outlinks(site, page, links)
      if (edges + links.count > target.length) target = grown(target)
      lastSource[id] = id
      for (let i = 0; i < links.count; i++) {
        if (links.target[i] !== LinkTarget.page) continue
        const to = plan.idOf(links.site[i], links.number[i])
        if (lastSource[to] === id) continue
        lastSource[to] = id
        target[edges++] = to
      }
      start[id + 1] = edges
    }
  }
  return { start, target: target.subarray(0, edges) }
}

function grown(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.ceil(array.length * 1.25))
  larger.set(array)
  return larger
}

/** Links from a site's pages to each other site, all occurrences counted. The site graph, row by row. */
export function siteLinks(plan: WebPlan, site: number): Map<number, number> {
  const links = plan.newOutLinks()
  const counts = new Map<number, number>()
  for (let page = 0; page < plan.sizeOf(site); page++) {
    plan.outlinks(site, page, links)
    for (let i = 0; i < links.count; i++) {
      const other = links.site[i]
      if (other !== site) counts.set(other, (counts.get(other) ?? 0) + 1)
    }
  }
  return counts
}
