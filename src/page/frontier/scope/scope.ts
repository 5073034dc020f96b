/** Decides for every link, without state, whether it belongs to the crawl. */

import {
  hostOf,
  normaliseEscapes,
  pathStart,
  registrableDomain,
  type Site,
  siteOf,
  withoutWww,
} from '../../../model/url/index.js'
import { REMEMBERED_SITES } from '../../limits.js'

export type ScopeKind = 'page' | 'prefix' | 'host' | 'domain' | 'any'

export interface ScopeOptions {
  readonly seeds: readonly string[]
  readonly kind: ScopeKind
  readonly include: readonly RegExp[]
  readonly exclude: readonly RegExp[]
}

export class Scope {
  readonly #options: ScopeOptions
  readonly #pages = new Set<string>()
  readonly #prefixes: string[] = []
  readonly #hosts = new Set<string>()
  readonly #domains = new Set<string>()
  readonly #sites = new Map<Site, boolean>()
  #blacklist: ReadonlySet<string> = new Set()
  #lastSite: Site = ''
  #lastAccepted = false

  constructor(options: ScopeOptions) {
    this.#options = options
    for (const seed of options.seeds) this.widenTo(seed)
  }

  /** Extends the scope when a seed redirects, as from `example.org` to `https://www.example.org`. */
  widenTo(url: string): void {
    const site = siteOf(url)
    // A seed may have other escapes than the links to it.
    const normal = normaliseEscapes(url)
    this.#pages.add(normal)
    this.#prefixes.push(prefixOf(normal))
    this.#hosts.add(withoutWww(site))
    this.#domains.add(registrableDomain(site))
    this.#forget()
  }

  /** Sets hosts and domains to avoid; a domain includes its subdomains. */
  setBlacklist(entries: readonly string[]): void {
    this.#blacklist = new Set(entries.map(entry => entry.toLowerCase()))
    this.#forget()
  }

  accepts(url: string): boolean {
    if (!this.acceptsSite(siteOf(url))) return false
    const { kind, include } = this.#options
    if (kind === 'page' && !this.#pages.has(normaliseEscapes(url))) return false
    if (kind === 'prefix' && !this.#isBelowSeed(normaliseEscapes(url))) return false
    if (include.length > 0 && !include.some(pattern => pattern.test(url))) return false
    return !this.#isExcluded(url)
  }

  /** For requests outside the scope, such as sitemaps and pictures, the user's exclusions still apply. */
  excludes(url: string): boolean {
    return this.isBlacklisted(siteOf(url)) || this.#isExcluded(url)
  }

  /** Called for every request, because the list may have changed since the URL was queued. */
  isBlacklisted(site: Site): boolean {
    if (this.#blacklist.size === 0) return false
    let name = hostOf(site)
    const port = site.slice(name.length)
    // `example.org.` is the same host.
    if (name.endsWith('.')) name = name.slice(0, -1)
    if (this.#blacklist.has(name + port)) return true
    for (;;) {
      if (this.#blacklist.has(name)) return true
      const dot = name.indexOf('.')
      if (dot < 0 || name.startsWith('[')) return false
      name = name.slice(dot + 1)
    }
  }

  /** False if no URL of the site can be in scope; called first for every link. */
  acceptsSite(site: Site): boolean {
    if (site === this.#lastSite) return this.#lastAccepted

    let accepted = this.#sites.get(site)
    if (accepted === undefined) {
      accepted = this.#judgeSite(site)
      if (this.#sites.size >= REMEMBERED_SITES) this.#sites.clear()
      this.#sites.set(site, accepted)
    }
    this.#lastSite = site
    this.#lastAccepted = accepted
    return accepted
  }

  #isBelowSeed(url: string): boolean {
    return this.#prefixes.some(prefix => withoutScheme(url).startsWith(prefix))
  }

  #isExcluded(url: string): boolean {
    const { exclude } = this.#options
    return exclude.length > 0 && exclude.some(pattern => pattern.test(url))
  }

  #forget(): void {
    this.#sites.clear()
    this.#lastSite = ''
  }

  #judgeSite(site: Site): boolean {
    if (this.isBlacklisted(site)) return false
    switch (this.#options.kind) {
      case 'any':
        return true
      case 'domain':
        return this.#domains.has(registrableDomain(site))
      case 'page':
      case 'prefix':
      case 'host':
        return this.#hosts.has(withoutWww(site))
    }
  }
}

/** Host and directory of a URL without scheme and www: the common prefix of all URLs below it. */
function prefixOf(url: string): string {
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  return withoutScheme(path.slice(0, Math.max(path.lastIndexOf('/'), pathStart(url)) + 1))
}

function withoutScheme(url: string): string {
  return withoutWww(url.slice(url.indexOf('/') + 2))
}
