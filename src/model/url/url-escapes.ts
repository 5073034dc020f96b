/**
 * Percent-escapes in normal form (RFC 3986, 6.2.2): unreserved characters are not escaped, and escapes have
 * upper-case digits. Both spellings decode to the same octets; reserved characters (`%2F`, `%3F`, `%25`) stay
 * escaped.
 */
const UNRESERVED = new Uint8Array(256)
for (const c of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~')
  UNRESERVED[c.charCodeAt(0)] = 1

export function isUnreserved(octet: number): boolean {
  return UNRESERVED[octet] === 1
}

/** True if the `%` at `at` begins an escape in normal form. */
function isNormalEscape(text: string, at: number): boolean {
  const octet = hexPair(text, at + 1)
  if (octet < 0 || UNRESERVED[octet] === 1) return false
  return text.charCodeAt(at + 1) < 0x61 && text.charCodeAt(at + 2) < 0x61
}

/** `url` must come from the URL parser: it has resolved the dot segments, `%2e%2e` among them. */
export function normaliseEscapes(url: string): string {
  let at = url.indexOf('%')
  while (at >= 0 && isNormalEscape(url, at)) at = url.indexOf('%', at + 3)
  return at < 0 ? url : url.slice(0, at) + respell(url.slice(at))
}

/** A `%` without a complete escape: what is added to the output must not complete it. */
const OPEN_ESCAPE = /%[\da-f]?$/i

function respell(text: string): string {
  let out = ''
  let from = 0
  for (let at = 0; at >= 0; at = text.indexOf('%', from)) {
    out += text.slice(from, at)
    const octet = hexPair(text, at + 1)
    if (octet < 0) {
      out += '%'
      from = at + 1
      continue
    }
    const c = String.fromCharCode(octet)
    const completes = hexDigit(octet) >= 0 && OPEN_ESCAPE.test(out)
    out += UNRESERVED[octet] === 1 && !completes ? c : text.slice(at, at + 3).toUpperCase()
    from = at + 3
  }
  return out + text.slice(from)
}

/** The octet of two hexadecimal digits; -1 if there are none. */
export function hexPair(text: string, at: number): number {
  const high = hexDigit(text.charCodeAt(at))
  const low = hexDigit(text.charCodeAt(at + 1))
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

/** -1 for any other character, also for NaN (past the end). */
function hexDigit(c: number): number {
  if (c >= 0x30 && c <= 0x39) return c - 0x30
  const lower = c | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
