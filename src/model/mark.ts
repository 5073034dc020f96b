/**
 * Queued URLs that are no pages. A normalised URL has no fragment, so a mark stands in its place: it goes
 * through inboxes, seen-sets and journals like any other URL, differs from the page of that address, and is
 * taken off before anybody is asked.
 */
export type Mark = 'sitemap' | 'probe'

const SITEMAP = '#sitemap'
const PROBE = '#probe'

export function sitemapMark(url: string): string {
  return url + SITEMAP
}

/** An address that cannot exist, asked for to learn what the site says then. */
export function probeMark(url: string): string {
  return url + PROBE
}

export function markOf(url: string): Mark | null {
  if (!url.includes('#')) return null
  return url.endsWith(SITEMAP) ? 'sitemap' : 'probe'
}

export function isSitemapMark(url: string): boolean {
  return url.endsWith(SITEMAP)
}

/** The address to ask for. */
export function withoutMark(url: string): string {
  const at = url.indexOf('#')
  return at < 0 ? url : url.slice(0, at)
}
