/** What a full crawl must bring home: the yardstick every crawl of the generated web is held to. */
import type { Authority } from './authority.js'
import { pagerank } from './link-graph.js'
import { WebPath } from './page-path.js'
import type { WebPlan } from './web-plan.js'

export interface TruthOptions {
  /** False for a crawl that ignores robots.txt: what lies in the forbidden folders belongs to it too. */
  readonly robots?: boolean
}

/**
 * Every URL that a crawl of all sites from `seedUrl` must answer with 200, that one first, each once,
 * normalised: pages and the objects that `<a>` links to. Not redirects, 404s, page requisites, robots.txt,
 * sitemaps and decoys.
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

/** The same with the PageRank of every page, after a tab; what is no page has no rank. */
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

/** The one page from which links lead everywhere. */
export function seedUrl(authority: Authority): string {
  return `http://${authority(0)}/`
}
