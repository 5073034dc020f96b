/** The URLs that a full crawl of the generated web must find. */
import type { Authority } from './authority.js'
import { pagerank } from './link-graph.js'
import { WebPath } from './page-path.js'
import type { WebPlan } from './web-plan.js'

export interface TruthOptions {
  /** False for a crawl that ignores robots.txt, which also finds forbidden pages. */
  readonly robots?: boolean
}

/**
 * The normalised URLs with status 200 that a crawl from `seedUrl` must find, the seed first: pages, and
 * objects that `<a>` links to. Redirects, 404s, page requisites, robots.txt, sitemaps and decoys are not
 * among them.
 */
export function* truth(plan: WebPlan, authority: Authority, options: TruthOptions = {}): Generator<string> {
  const path = new WebPath()
  for (let site = 0; site < plan.sites; site++) {
    const origin = `http://${authority(site)}`
    const size = plan.sizeOf(site)
    for (let page = 0; page < size; page++) yield origin + plan.pathOf(site, page)
    const objects = plan.objectsOf(site)
    for (let object = 0; object < objects; object++) yield `${origin}${path.object(object)}`
    if (options.robots !== false) continue
    const forbidden = plan.forbiddenOf(site)
    for (let number = 0; number < forbidden; number++) yield `${origin}${path.forbidden(number)}`
  }
}

/** The URLs, each with the PageRank of its page after a tab; 0 for objects. */
export function* rankedTruth(plan: WebPlan, authority: Authority): Generator<string> {
  const ranks = pagerank(plan)
  const path = new WebPath()
  for (let site = 0; site < plan.sites; site++) {
    const origin = `http://${authority(site)}`
    for (let page = 0; page < plan.sizeOf(site); page++)
      yield `${origin}${plan.pathOf(site, page)}\t${ranks[plan.idOf(site, page)].toExponential(9)}`
    for (let object = 0; object < plan.objectsOf(site); object++) yield `${origin}${path.object(object)}\t0`
  }
}

/** The page from which all others can be reached. */
export function seedUrl(authority: Authority): string {
  return `http://${authority(0)}/`
}
