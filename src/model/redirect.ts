/** Where a response sends its reader. */
import type { Exchange } from './page.js'
import { normaliseUrl } from './url.js'

/** The Location of a response, normalised; null when there is none that leads to the web. */
export function redirectTarget(exchange: Exchange): string | null {
  const location = exchange.header('location')
  return location === undefined ? null : normaliseUrl(escapeBytes(location), exchange.url)
}

/** Servers send other letters than ASCII as they are: the bytes are asked for, whatever they stand for. */
function escapeBytes(location: string): string {
  return location.replace(/[\u0080-\u00ff]/g, byte => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
}
