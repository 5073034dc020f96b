/**
 * Sends every link of a page on its way: into the page's own cell at once, into any other cell as an inbox row that
 * the pack commits together with the page. Links out of scope end here.
 */
import type { Scope } from '../frontier/index.js'
import { cellOf } from '../model/cell.js'
import { LIMITS } from '../model/limits.js'
import { LinkKind } from '../model/page.js'
import { originOf, siteOf } from '../model/url.js'
import type { PageLinks } from '../store/index.js'
import type { Hooks } from './hooks.js'
import type { OpenPack } from './open-pack.js'
import type { SentLinks } from './sent-links.js'
import type { SiteCrawl } from './site-crawl.js'

export interface RouterParts {
  readonly scope: Scope
  readonly hooks: Hooks
  readonly sent: SentLinks
  /** False with `--robots ignore`. */
  readonly obeysNofollow: boolean
  /** Link rows for the table: links that leave the site, or all. */
  readonly linkRows: 'foreign' | 'all' | 'none'
}

/** The page the links stand on. */
export interface LinkSource {
  readonly url: string
  readonly depth: number
}

export interface Routed {
  /** Links that leave the page's site. */
  readonly foreign: number
  /** Rows for the links table, where there are any. */
  readonly rows: PageLinks | null
}

export class Router {
  readonly #parts: RouterParts

  constructor(parts: RouterParts) {
    this.#parts = parts
  }

  /** Routes the links of a page, those it does not want followed apart; says how many of them leave its site. */
  route(
    site: SiteCrawl,
    pack: OpenPack,
    page: LinkSource,
    links: readonly string[],
    kinds: Uint8Array,
    follow: boolean,
  ): Routed {
    const { linkRows, scope } = this.#parts
    const obeysNone = !this.#parts.obeysNofollow
    const origin = `${originOf(page.url)}/`
    const ownSite = siteOf(page.url)
    const targets: string[] = []
    const targetKinds: number[] = []
    let foreign = 0
    for (let i = 0; i < links.length; i++) {
      const url = links[i]
      const target = url.startsWith(origin) ? ownSite : siteOf(url)
      const leaves = target !== ownSite
      if (leaves) foreign++
      if (linkRows === 'all' || (leaves && linkRows === 'foreign')) {
        targets.push(url)
        targetKinds.push(kinds[i])
      }
      const requisite = (kinds[i] & LinkKind.requisite) !== 0
      // What a page needs to be shown is no link to follow.
      const followed = requisite || ((kinds[i] & LinkKind.nofollow) === 0 && follow) || obeysNone
      if (followed && (requisite || scope.acceptsSite(target)))
        this.#send(site, pack, url, leaves, page.depth + 1, 0, page.url, requisite)
    }
    return { foreign, rows: targets.length > 0 ? { targets, kinds: targetKinds } : null }
  }

  /** A redirect's target is as deep as the page that sent us there. */
  redirect(site: SiteCrawl, pack: OpenPack, source: LinkSource, target: string, hops: number): void {
    this.#send(
      site,
      pack,
      target,
      siteOf(target) !== siteOf(source.url),
      source.depth,
      hops,
      source.url,
      false,
    )
  }

  #send(
    site: SiteCrawl,
    pack: OpenPack,
    url: string,
    leaves: boolean,
    depth: number,
    hops: number,
    via: string,
    requisite: boolean,
  ): void {
    const { scope, hooks, sent } = this.#parts
    if (leaves ? sent.has(url) || pack.share(site).appends.has(url) : site.frontier.knows(url, depth)) return
    if (url.length > LIMITS.urlChars) return
    // What a page needs to be shown may stand anywhere: pictures live on other hosts than their pages.
    if (!requisite && !scope.accepts(url)) return
    if (hooks.accept && !hooks.accept(url)) return
    const discovery = { url, depth, hops, score: hooks.score ? hooks.score(url) : 0, via }
    if (leaves) pack.share(site).append(cellOf(url), discovery)
    else if (site.frontier.offer(discovery)) pack.share(site).discovered(discovery)
  }
}
