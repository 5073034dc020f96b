/**
 * Gives equivalent paths one spelling (RFC 9309, 2.2.2), so that matching is string comparison: `%62` becomes
 * `b`, `%2a` becomes `*`, a raw umlaut is encoded, but `%2F` never becomes a slash.
 */
import { isUnreserved } from '../../model/url/index.js'

/** Characters that need no escape in a URL. */
const KEPT = /[\w.~:/?#[\]@!$&'()*+,;=-]/
/** Any other character, or `%`. */
const ODD = /[^\w.~:/?#[\]@!$&'()*+,;=-]/
/** A character to escape, or an escape in lower case or of a character that needs none; rare in URLs. */
const NOT_CANONICAL =
  /[^\w.~:/?#[\]@!$&'()*+,;=%-]|%(?:[\dA-F]?[a-f]|2[47ADE]|3\d|4[1-9A-F]|5[\dAF]|6[1-9A-F]|7[\dAE])/
const ESCAPE_OR_ODD = /%([\da-f]{2})|[^\w.~:/?#[\]@!$&'()*+,;=%-]/gi

/** Whether a byte needs no escape. */
export function isKept(c: number): boolean {
  return KEPT.test(String.fromCharCode(c))
}

/** The canonical form of a URL's path and query. */
export function canonicalPath(path: string): string {
  if (!NOT_CANONICAL.test(path)) return path
  return canonicalBytes(/[\u0080-\uffff]/.test(path) ? Buffer.from(path).toString('latin1') : path)
}

/** The canonical form of a piece of a pattern, which has one character per byte. */
export function canonicalBytes(bytes: string): string {
  return bytes.replace(ESCAPE_OR_ODD, (found, digits: string | undefined) => {
    const octet = digits === undefined ? found.charCodeAt(0) : Number.parseInt(digits, 16)
    const character = String.fromCharCode(octet)
    // The URL parser itself escapes ' in queries.
    if (digits !== undefined && (isUnreserved(octet) || "*$'".includes(character))) return character
    return `%${octet.toString(16).toUpperCase().padStart(2, '0')}`
  })
}

/** True if nothing in it has a second spelling. */
export function isLiteral(bytes: string): boolean {
  return !ODD.test(bytes)
}

/**
 * Slash and colon have no meaning in a query: in the RFC's table `?u=https%3A%2F%2F` matches `?u=https://`.
 */
export function looseQuery(path: string): string {
  const query = path.indexOf('?')
  if (query < 0 || path.indexOf('%', query) < 0) return path
  return path.slice(0, query) + path.slice(query).replace(/%2f/gi, '/').replace(/%3a/gi, ':')
}
