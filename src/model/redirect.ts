/** Where a response sends its reader. */
import type { Exchange } from './page.js'
import { normaliseEscapes, parseUrl } from './url/index.js'

/**
 * The Location of a response, normalised; null when there is none that leads to the web. A server that
 * redirects a page to another spelling of its own URL (`/%C3%A9` to `/%c3%a9`) gives nothing without it: then
 * it is as the server writes it.
 */
export function redirectTarget(exchange: Exchange): string | null {
  const location = exchange.header('location')
  const written = location === undefined ? null : parseUrl(escapeBytes(location), exchange.url)
  if (written === null) return null
  const url = normaliseEscapes(written)
  return url === exchange.url ? written : url
}

/** Servers send other letters than ASCII as they are: the bytes are asked for, whatever they stand for. */
function escapeBytes(location: string): string {
  return location.replace(/[\u0080-\u00ff]/g, byte => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
}
