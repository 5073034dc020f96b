/** The links of a generated web as objects, for tests; the web itself keeps them in columns. */
import type { Authority, WebPlan } from '../../src/simulate/web/index.js'
import { LinkTarget, type OutLinks } from '../../src/simulate/web/out-links.js'
import { WebPath } from '../../src/simulate/web/page-path.js'

/** A link before its spelling: its normalised URL and what is there. */
export interface PlannedLink {
  /** `redirect` leads to a page through its alias. */
  readonly kind: 'page' | 'redirect' | 'object' | 'gone' | 'forbidden'
  readonly url: string
  /** The number of the page within its site; meaningless for other kinds. */
  readonly page: number
  readonly site: number
}

export function linksOf(plan: WebPlan, site: number, page: number, authority: Authority): PlannedLink[] {
  const out = plan.newOutLinks()
  const path = new WebPath()
  plan.outlinks(site, page, out)
  return Array.from({ length: out.count }, (_, i) => ({
    kind: kindOf(plan, out, i),
    url: `http://${authority(out.site[i])}${plan.linkPath(out, i, path)}`,
    page: out.number[i],
    site: out.site[i],
  }))
}

function kindOf(plan: WebPlan, out: OutLinks, index: number): PlannedLink['kind'] {
  if (out.target[index] === LinkTarget.gone) return 'gone'
  if (out.target[index] === LinkTarget.forbidden) return 'forbidden'
  if (out.target[index] === LinkTarget.object) return 'object'
  return plan.isMoved(out.site[index], out.number[index]) ? 'redirect' : 'page'
}

/** The inverse of `plan.idOf`. */
export function locate(plan: WebPlan, id: number): { readonly site: number; readonly page: number } {
  let low = 0
  let high = plan.sites
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (plan.idOf(middle, 0) <= id) low = middle
    else high = middle
  }
  return { site: low, page: id - plan.idOf(low, 0) }
}

/** The numbers of links from a site's pages to each other site. */
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
