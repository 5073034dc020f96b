/** What relative links of a page are resolved against. */
import { LIMITS } from '../model/limits.js'
import { LinkResolver, normaliseUrl } from '../model/url.js'

export interface PageBase {
  /** The base as a normalised URL; null when it is none that can be crawled. */
  readonly url: string | null
  /** The normalised URL of a link, or null when it cannot be crawled. */
  resolve(href: string): string | null
}

/**
 * The base of the page at `pageUrl` (normalised) whose first `<base href>` is `href`. One that is no URL, or
 * is data: or javascript:, counts as none; any other scheme counts, though nothing relative to it can be
 * crawled.
 */
export function pageBase(pageUrl: string, href: string | null): PageBase {
  const declared = href === null ? null : parsed(href, pageUrl)
  if (declared === null || declared.protocol === 'data:' || declared.protocol === 'javascript:')
    return crawlable(pageUrl)
  const url = normaliseUrl(declared.href)
  if (url === null) return { url, resolve: link => normaliseUrl(link, declared.href) }
  return crawlable(url.length > LIMITS.urlChars ? pageUrl : url)
}

function crawlable(url: string): PageBase {
  const resolver = new LinkResolver(url)
  return { url, resolve: link => resolver.resolve(link) }
}

function parsed(href: string, pageUrl: string): URL | null {
  try {
    return new URL(href, pageUrl)
  } catch {
    return null
  }
}
