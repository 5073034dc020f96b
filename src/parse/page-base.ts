/** What relative links of a page are resolved against. */
import { LIMITS } from '../model/limits.js'
import { LinkResolver, normaliseUrl } from '../model/url.js'

export type Resolver = Pick<LinkResolver, 'resolve'>

/**
 * The resolver for the page at `pageUrl` (normalised) whose first `<base href>` is `base`. A base that is no URL, or
 * is data: or javascript:, counts as none; any other scheme counts, though nothing relative to it can be crawled.
 */
export function pageResolver(pageUrl: string, base: string | null): Resolver {
  const url = base === null ? null : parsed(base, pageUrl)
  if (url === null || url.protocol === 'data:' || url.protocol === 'javascript:')
    return new LinkResolver(pageUrl)
  const normalised = normaliseUrl(url.href)
  if (normalised === null) return { resolve: href => normaliseUrl(href, url.href) }
  return new LinkResolver(normalised.length > LIMITS.urlChars ? pageUrl : normalised)
}

function parsed(base: string, pageUrl: string): URL | null {
  try {
    return new URL(base, pageUrl)
  } catch {
    return null
  }
}
