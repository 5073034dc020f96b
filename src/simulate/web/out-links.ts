/** The links of one page as numbers. They are drawn again for each call and never stored. */
import { SeededRandom } from '../../model/index.js'
import { hashOf, Purpose } from './hash.js'
import type { WebPlan } from './web-plan.js'

/** The target of a link. Links to a page that has moved lead to its redirecting alias. */
export const LinkTarget = { page: 0, gone: 1, forbidden: 2, object: 3 } as const

/**
 * The fan-out of the trees that make all pages and sites reachable: of pages below a home page, of sites
 * below site 0.
 */
const PAGE_CHILDREN = 8
export const SITE_CHILDREN = 3
/** One page in this many links to an object, or to a page that robots.txt forbids. */
export const OBJECT_EVERY = 48
export const FORBIDDEN_EVERY = 32
const GONE_SHARE = 0.01
const NEAR_SHARE = 0.5

/** The links of a page in columns instead of forty objects; filled by `drawLinks`. */
export class OutLinks {
  count = 0
  readonly target: Uint8Array
  readonly site: Uint32Array
  /** Page, object or file number within the site. */
  readonly number: Uint32Array
  /** 1 for links of the trees, which make pages reachable. */
  readonly backbone: Uint8Array

  constructor(capacity: number) {
    this.target = new Uint8Array(capacity)
    this.site = new Uint32Array(capacity)
    this.number = new Uint32Array(capacity)
    this.backbone = new Uint8Array(capacity)
  }

  add(target: number, site: number, number: number, backbone: number): void {
    const at = this.count++
    this.target[at] = target
    this.site[at] = site
    this.number[at] = number
    this.backbone[at] = backbone
  }

  /** Without destructuring, because it runs forty times per page. */
  swap(a: number, b: number): void {
    const target = this.target[a]
    const site = this.site[a]
    const number = this.number[a]
    const backbone = this.backbone[a]
    this.target[a] = this.target[b]
    this.site[a] = this.site[b]
    this.number[a] = this.number[b]
    this.backbone[a] = this.backbone[b]
    this.target[b] = target
    this.site[b] = site
    this.number[b] = number
    this.backbone[b] = backbone
  }
}

/**
 * Draws the links of a page: home and parent first, then in random order its children in the two trees, its
 * object, its forbidden page and a gone one, foreign links, and near or popular pages of the site.
 */
export function drawLinks(plan: WebPlan, site: number, page: number, out: OutLinks): void {
  const random = new SeededRandom(hashOf(plan.seed, Purpose.links, site, page))
  const size = plan.sizeOf(site)
  const total = Math.round(plan.linksPerPage * (0.8 + 0.4 * random.next()))
  out.count = 0
  out.add(LinkTarget.page, site, 0, 0)
  out.add(LinkTarget.page, site, page === 0 ? 0 : Math.floor((page - 1) / PAGE_CHILDREN), 0)
  const shuffleFrom = out.count
  let foreign = plan.sites > 1 ? Math.floor(total * plan.foreignShare + random.next()) : 0
  if (page === 0) {
    const last = Math.min(plan.sites - 1, site * SITE_CHILDREN + SITE_CHILDREN)
    for (let child = site * SITE_CHILDREN + 1; child <= last; child++, foreign--) {
      out.add(LinkTarget.page, child, 0, 1)
    }
  }
  const last = Math.min(size - 1, page * PAGE_CHILDREN + PAGE_CHILDREN)
  for (let child = page * PAGE_CHILDREN + 1; child <= last; child++) out.add(LinkTarget.page, site, child, 1)
  if (page % OBJECT_EVERY === 1) out.add(LinkTarget.object, site, Math.floor(page / OBJECT_EVERY), 1)
  if (page % FORBIDDEN_EVERY === 0 && plan.hasRobots(site)) {
    out.add(LinkTarget.forbidden, site, page / FORBIDDEN_EVERY, 1)
  }
  if (random.next() < total * GONE_SHARE) {
    out.add(LinkTarget.gone, site, Math.floor(random.next() * plan.goneOf(site)), 0)
  }
  for (; foreign > 0; foreign--) {
    const other = plan.drawForeign(site, random)
    out.add(LinkTarget.page, other, popular(plan.sizeOf(other), random), 0)
  }
  while (out.count < total) out.add(LinkTarget.page, site, drawNear(page, size, random), 0)
  for (let i = out.count - 1; i > shuffleFrom; i--) {
    out.swap(i, shuffleFrom + Math.floor(random.next() * (i - shuffleFrom + 1)))
  }
}

/** A neighbour, or a popular page of the site. */
function drawNear(page: number, size: number, random: SeededRandom): number {
  if (random.next() >= NEAR_SHARE) return popular(size, random)
  const roll = random.next()
  const step = 1 + Math.floor(roll * roll * 15)
  const near = random.next() < 0.5 ? page + step : page - step
  return near >= 0 && near < size ? near : Math.floor(size * random.next())
}

/** Draws page n of a site with a chance of about n to the power of -3/4. */
function popular(size: number, random: SeededRandom): number {
  const roll = random.next()
  return Math.floor(size * roll * roll * roll * roll)
}
