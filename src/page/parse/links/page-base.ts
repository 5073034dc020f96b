/** The base against which a page's relative links are resolved. */
import { LIMITS } from '../../../model/index.js'
import { LinkResolver, normaliseEscapes, normaliseUrl } from '../../../model/url/index.js'
import { encodeQuery, hasOwnQueries } from '../charset/index.js'

export interface PageBase {
  /** The normalised base; null if it cannot be crawled. */
  readonly url: string | null
  /** True if letters in queries are sent in the encoding of the page. */
  readonly ownQueries: boolean
  /** The normalised URL of a link; null if it cannot be crawled. */
  resolve(href: string): string | null
}

/**
 * The base of the page at `pageUrl` (normalised, in encoding `charset`) whose first `<base href>` is `href`.
 * An invalid `href` and the schemes data: and javascript: are ignored. Other schemes count, but nothing
 * relative to them can be crawled.
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

/** `pageUrl` may have unusual escapes: a server can insist on its spelling. */
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
