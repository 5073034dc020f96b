/** The target of a redirect. */
import type { Exchange } from './page.js'
import { normaliseEscapes, parseUrl } from './url/index.js'

/**
 * The Location of a response, normalised; null if there is none or it is not http(s). If a server redirects a
 * page to another spelling of its own URL (`/%C3%A9` to `/%c3%a9`), the spelling of the server is kept,
 * because the normalised one would lead back to the redirect.
 */
export function redirectTarget(exchange: Exchange): string | null {
  const location = exchange.header('location')
  const written = location === undefined ? null : parseUrl(escapeBytes(location), exchange.url)
  if (written === null) return null
  const url = normaliseEscapes(written)
  return url === exchange.url ? written : url
}

/** Some servers send bytes beyond ASCII unescaped: they are requested as the same bytes. */
function escapeBytes(location: string): string {
  return location.replace(/[\u0080-\u00ff]/g, byte => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
}
