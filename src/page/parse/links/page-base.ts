/** What relative links of a page are resolved against. */
import { LIMITS } from '../../../model/index.js'
import { LinkResolver, normaliseEscapes, normaliseUrl } from '../../../model/url/index.js'
import { encodeQuery, hasOwnQueries } from '../charset/index.js'

export interface PageBase {
  /** The base as a normalised URL; null when it is none that can be crawled. */
  readonly url: string | null
  /** Letters in the queries of links are sent in the encoding of the page. */
  readonly ownQueries: boolean
  /** The normalised URL of a link, or null when it cannot be crawled. */
  resolve(href: string): string | null
}

/**
 * The base of the page at `pageUrl` (normalised) whose first `<base href>` is `href`. One that is no URL, or
 * is data: or javascript:, counts as none; any other scheme counts, though nothing relative to it can be
 * crawled. `charset` is the page's own.
 */
export function pageBase(pageUrl: string, href: string | null, charset = 'utf-8'): PageBase {
  const base = declaredBase(pageUrl, href)
  if (!hasOwnQueries(charset)) return base
  return { url: base.url, ownQueries: true, resolve: link => base.resolve(encodeQuery(link, charset)) }
}

function declaredBase(pageUrl: string, href: string | null): PageBase {
  const declared = href === null ? null : parsed(href, pageUrl)
  if (declared === null || declared.protocol === 'data:' || declared.protocol === 'javascript:')
    return crawlable(pageUrl)
  const url = normaliseUrl(declared.href)
  if (url === null) return { url, ownQueries: false, resolve: link => normaliseUrl(link, declared.href) }
  return crawlable(url.length > LIMITS.urlChars ? pageUrl : url)
}

/** The page may have been queued by an earlier version, or under the spelling that its server insists on. */
function crawlable(pageUrl: string): PageBase {
  const url = normaliseEscapes(pageUrl)
  const resolver = new LinkResolver(url)
  return { url, ownQueries: false, resolve: link => resolver.resolve(link) }
}

function parsed(href: string, pageUrl: string): URL | null {
  try {
    return new URL(href, pageUrl)
  } catch {
    return null
  }
}
