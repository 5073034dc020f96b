/**
 * Keys of a CDXJ index: the sort-friendly form of a URL (SURT) as the Internet Archive canonicalises it,
 * because pywb and the other readers of such an index look a URL up by exactly that key.
 * `http://www.Example.org:8080/A/?b=2&a=1` becomes `org,example:8080)/a?a=1&b=2`.
 *
 * Different URLs may share a key (`/a` and `/a/`): the `url` of a line tells them apart.
 */

/** The key of a normalised URL. */
export function surt(url: string): string {
  const hostStart = url.indexOf('/') + 2
  const pathStart = url.indexOf('/', hostStart)
  const queryStart = url.indexOf('?', pathStart)
  const host = hostKey(url.slice(hostStart, pathStart))
  if (queryStart < 0) return host + pathKey(url.slice(pathStart))
  return host + pathKey(url.slice(pathStart, queryStart)) + queryKey(url.slice(queryStart + 1))
}

/** Caches the keys of recent hosts. */
const hostKeys = new Map<string, string>()
const HOST_KEYS_MAX = 10_000

function hostKey(authority: string): string {
  const known = hostKeys.get(authority)
  if (known !== undefined) return known
  if (hostKeys.size >= HOST_KEYS_MAX) hostKeys.clear()
  const key = makeHostKey(authority)
  hostKeys.set(authority, key)
  return key
}

const WWW = /^www\d*\./
const OUTER_DOTS = /^\.+|\.+$/g

/** Without `www.`, empty labels and the brackets of an IPv6 address; the labels in reverse order. */
function makeHostKey(authority: string): string {
  const [, name, port = ''] = /^(.*?)(:\d+)?$/.exec(authority) ?? ['', authority]
  if (name.startsWith('[')) return `${name.slice(1, -1)}${port})`
  const host = name.toLowerCase().replaceAll('..', '.').replace(OUTER_DOTS, '').replace(WWW, '')
  return `${host.split('.').reverse().join(',')}${port})`
}

/** An escape, or what is escaped in a key: control characters, space, `#`, `%` and all that is not ASCII. */
const ESCAPE = /[^!-"$&-~]/

function pathKey(path: string): string {
  const hasEscape = ESCAPE.test(path)
  let key = hasEscape ? unescaped(path) : path
  if (hasEscape || key.includes('//') || key.includes('/.')) key = resolved(key)
  key = (hasEscape ? escaped(key) : key).toLowerCase()
  if (key.includes(')/')) key = withoutEach(ASP_SESSIONS, key)
  return key.length > 1 && key.endsWith('/') ? key.slice(0, -1) : key
}

function queryKey(query: string): string {
  let key = (ESCAPE.test(query) ? escaped(unescaped(query)) : query).toLowerCase()
  if (MAY_HAVE_SESSION.test(key)) key = withoutEach(SESSIONS, key)
  if (key === '') return ''
  return `?${key.includes('&') ? sorted(key) : key}`
}

/** Session ids that ASP.NET puts into the path before a page, lower case. */
const ASP_SESSIONS = [
  /^(.*)\/\((?:[a-z]\([0-9a-z]{24}\))+\)(?=\/[^?]+\.aspx)/,
  /^(.*)\/\([0-9a-z]{24}\)(?=\/[^?]+\.aspx)/,
]

/** Session ids in a query, lower case, each with the `&` behind it. */
const SESSIONS = [
  /^(.*)jsessionid=[0-9a-z]{32}(?:&|$)/,
  /^(.*)phpsessid=[0-9a-z]{32}(?:&|$)/,
  /^(.*)sid=[0-9a-z]{32}(?:&|$)/,
  /^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&|$)/,
  /^(.*)cfid=[^&]+&cftoken=[^&]+(?:&|$)/,
]
const MAY_HAVE_SESSION = /sid=|sessionid|cfid=/

/** Each pattern removes its last match only. */
function withoutEach(patterns: readonly RegExp[], text: string): string {
  return patterns.reduce((left, pattern) => left.replace(pattern, '$1'), text)
}

const PERCENT = 0x25

/** Decodes escapes repeatedly, until none is left; returns one character for each byte. */
function unescaped(text: string): string {
  const bytes = Buffer.allocUnsafe(text.length)
  let length = 0
  for (let i = 0; i < text.length; i++) {
    bytes[length++] = text.charCodeAt(i)
    while (length >= 3 && bytes[length - 3] === PERCENT) {
      const value = hexDigit(bytes[length - 2]) * 16 + hexDigit(bytes[length - 1])
      if (Number.isNaN(value)) break
      length -= 2
      bytes[length - 1] = value
    }
  }
  return bytes.latin1Slice(0, length)
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : Number.NaN
}

const EACH_ESCAPE = new RegExp(ESCAPE, 'g')

function escaped(text: string): string {
  return text.replace(EACH_ESCAPE, byte => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/** Removes segments of dots, and empty segments except the last. */
function resolved(path: string): string {
  const kept: string[] = []
  for (const segment of path.slice(1).split('/')) {
    if (segment === '..' && kept.length > 0) kept.pop()
    else if (segment !== '.') kept.push(segment)
  }
  const last = kept.pop() ?? ''
  return `/${[...kept.filter(segment => segment !== ''), last].join('/')}`
}

/** Sorts parameters by name, then by value; a name without a value comes first. */
function sorted(query: string): string {
  const parts = query.split('&').map(part => part.replace('=', '\0'))
  return parts.sort().join('&').replaceAll('\0', '=')
}
