/** PageRank of the pages of a generated web. */
import { LINK_GRAPH_MOST_PAGES } from '../limits.js'
import { LinkTarget } from './out-links.js'
import type { WebPlan } from './web-plan.js'

/** The distinct pages that page v links to, without itself: target[start[v] .. start[v + 1]). */
interface PageGraph {
  readonly start: Uint32Array
  readonly target: Uint32Array
}

const DAMPING = 0.85
/** Ends when the ranks of all pages together change by less. */
const TOLERANCE = 1e-10

/**
 * PageRank of each page, by `plan.idOf`; the sum is 1. Redirects are followed, and links count once per page.
 */
export function pagerank(plan: WebPlan): Float64Array {
  const graph = pageGraph(plan)
  const count = plan.pages
  let rank = new Float64Array(count).fill(1 / count)
  let next = new Float64Array(count)
  let moved = 1
  while (moved > TOLERANCE) {
    const idle = spread(graph, rank, next)
    const floor = (1 - DAMPING + DAMPING * idle) / count
    moved = 0
    for (let page = 0; page < count; page++) {
      next[page] = floor + DAMPING * next[page]
      moved += Math.abs(next[page] - rank[page])
    }
    ;[rank, next] = [next, rank]
  }
  return rank
}

/** Each page passes its rank on in equal parts. Returns the rank of pages without links. */
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
  if (plan.pages > LINK_GRAPH_MOST_PAGES)
    throw new RangeError(`PageRank holds the link graph: at most ${LINK_GRAPH_MOST_PAGES} pages`)
  const links = plan.newOutLinks()
  const start = new Uint32Array(plan.pages + 1)
  let target = new Uint32Array(plan.pages * Math.ceil(plan.linksPerPage) + 1_024)
  // The last source of each page shows repeated links of one page.
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
