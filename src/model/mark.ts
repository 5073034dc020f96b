/**
 * Marks of queued URLs that are not pages. A normalised URL has no fragment, so the mark takes its place: the
 * URL passes through inboxes, seen-sets and journals like any other, differs from the page of that address,
 * and loses its mark before the request.
 */
export type Mark = 'sitemap' | 'probe'

const SITEMAP = '#sitemap'
const PROBE = '#probe'

export function sitemapMark(url: string): string {
  return url + SITEMAP
}

/** A page that cannot exist, requested to learn how the site answers then. */
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

/** The URL to request. */
export function withoutMark(url: string): string {
  const at = url.indexOf('#')
  return at < 0 ? url : url.slice(0, at)
}
