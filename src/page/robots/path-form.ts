/**
 * Gives equivalent paths one spelling (RFC 9309, 2.2.2), so that matching is string comparison: `%62` becomes
 * `b`, `%2a` becomes `*`, a raw umlaut is encoded, but `%2F` never becomes a slash.
 */
import { hexPair, isUnreserved } from '../../model/url/index.js'

const PERCENT = 0x25
const HEX = '0123456789ABCDEF'

// Characters that need no escape in a URL.
const KEPT = new Uint8Array(256)
for (let c = 0; c < 256; c++) if (isUnreserved(c)) KEPT[c] = 1
for (const c of ":/?#[]@!$&'()*+,;=") KEPT[c.charCodeAt(0)] = 1

// Characters whose escape means the same. The URL parser itself escapes ' in queries.
const DECODED = new Uint8Array(256)
for (let c = 0; c < 256; c++) if (isUnreserved(c)) DECODED[c] = 1
for (const c of "*$'") DECODED[c.charCodeAt(0)] = 1

export function isKept(c: number): boolean {
  return KEPT[c] === 1
}

/** The canonical form of a URL's path and query. */
export function canonicalPath(path: string): string {
  if (isPlain(path)) return path
  return respell(/[\u0080-\uffff]/.test(path) ? Buffer.from(path).toString('latin1') : path)
}

/** The canonical form of a piece of a pattern, which has one character per byte. */
export function canonicalBytes(bytes: string): string {
  return isPlain(bytes) ? bytes : respell(bytes)
}

const ODD = /[^\w.~:/?#[\]@!$&'()*+,;=-]/

/** True if nothing in it has a second spelling. */
export function isLiteral(bytes: string): boolean {
  return !ODD.test(bytes)
}

/** True if already in canonical form, as nearly all URLs are. */
function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (KEPT[c] === 1) continue
    if (c !== PERCENT) return false
    const encoded = hexPair(text, i + 1)
    if (encoded < 0) continue
    if (DECODED[encoded] === 1 || isLower(text.charCodeAt(i + 1)) || isLower(text.charCodeAt(i + 2)))
      return false
    i += 2
  }
  return true
}

function isLower(c: number): boolean {
  return c >= 0x61
}

function respell(bytes: string): string {
  let out = ''
  for (let i = 0; i < bytes.length; i++) {
    const c = bytes.charCodeAt(i)
    const encoded = c === PERCENT ? hexPair(bytes, i + 1) : -1
    if (encoded >= 0) {
      out += DECODED[encoded] === 1 ? String.fromCharCode(encoded) : percent(encoded)
      i += 2
    } else out += KEPT[c] === 1 || c === PERCENT ? bytes[i] : percent(c)
  }
  return out
}

function percent(byte: number): string {
  return `%${HEX[byte >> 4]}${HEX[byte & 15]}`
}

/**
 * Slash and colon have no meaning in a query: the RFC's table treats `?u=https%3A%2F%2F` as `?u=https://`.
 */
export function looseQuery(path: string): string {
  const query = path.indexOf('?')
  if (query < 0 || path.indexOf('%', query) < 0) return path
  return path.slice(0, query) + path.slice(query).replace(/%2f/gi, '/').replace(/%3a/gi, ':')
}
