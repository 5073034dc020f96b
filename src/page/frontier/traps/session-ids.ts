/**
 * Removes session ids from URLs: the page is the same without, and each visit would bring new links. Some
 * names always mean a session. Others (`sid`, `session`) may name things, so their value must look random and
 * be the only one of that name on the page.
 */

/** Names that always mean a session. The value is some letters and digits. */
const SURE =
  /^(?:jsessionid|phpsessid|phpsessionid|aspsessionid[a-z]*|asp\.net_sessionid|cfid|cftoken|oscsid|oscid|zenid|sessid|ncsid|mscsid|bv_sessionid|bv_engineid)$/i
const UNSURE =
  /^(?:sid|s|ssid|sess|session|sessionid|session_id|session-id|sessionkey|session_key|usersession)$/i
const SURE_VALUE = /^[\w.!~:,*+%-]{4,}$/
/** Cookieless sessions of ASP.NET: `/(S(lit3py55t21z5v55vlm25s55))/`. */
const IN_FOLDER = /\/\((?:[A-Z]\([\w-]{8,}\))+\)(?=\/)/g
const IN_PATH = /;(?:jsessionid|phpsessid|sessionid|sid)=[^/?;#]*/gi
/** Characters without which there is no session; most URLs have none. */
const MARKS = /[?;(]/
const MAYBE = /[;(]|sess|sid|zenid|cftoken|cfid|oscid|bv_engineid|[?&]s=/i

/** The page that contains a URL, and its links. */
export interface PageContext {
  readonly url: string
  readonly links: readonly string[]
}

export function withoutSessionId(url: string, page: PageContext | null): string {
  if (!MARKS.test(url) || !MAYBE.test(url)) return url
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  const cleanPath = path.replace(IN_PATH, '').replace(IN_FOLDER, '')
  if (query < 0) return cleanPath
  const cleanQuery = cleanedQuery(url.slice(query + 1), page)
  return cleanQuery === '' ? cleanPath : `${cleanPath}?${cleanQuery}`
}

function cleanedQuery(query: string, page: PageContext | null): string {
  const separator = query.includes('&') ? '&' : query.includes(';') ? ';' : '&'
  const pairs = query.split(separator)
  const kept = pairs.filter(pair => !isSession(pair, page))
  return kept.length === pairs.length ? query : kept.join(separator)
}

function isSession(pair: string, page: PageContext | null): boolean {
  const equals = pair.indexOf('=')
  if (equals < 1) return false
  const name = pair.slice(0, equals)
  const value = pair.slice(equals + 1)
  if (SURE.test(name)) return SURE_VALUE.test(value)
  if (!UNSURE.test(name) || !looksDrawn(value)) return false
  if (page === null) return isClassic(value)
  return isSharedByLinks(name, value, page)
}

/** Letters and digits mixed, at least eight: not a word, number or date. */
function looksDrawn(value: string): boolean {
  return /^[\da-z]{8,}$/i.test(value) && /\d.*\d/.test(value) && /[a-z]/i.test(value)
}

/** The ids of PHP and similar: 32, 40 or 64 hexadecimal digits, or 26 of a larger alphabet. */
function isClassic(value: string): boolean {
  return /^(?:[\da-f]{32}|[\da-f]{40}|[\da-f]{64}|[\da-v]{26})$/i.test(value)
}

/**
 * The links of a page share a session. Ids of things differ from link to link, and the page of a thing has
 * its own id in its URL, or another one if it links to a single other thing.
 */
function isSharedByLinks(name: string, value: string, page: PageContext): boolean {
  const own = parameterOf(name, page.url)
  if (own === value) return false
  const values = valuesOn(page.links, name)
  const same = values.get(value) ?? 0
  if (!isClassic(value)) return same >= 2 && values.size === 1
  let others = 0
  for (const [other, count] of values) if (other !== value) others += count
  // A session is in more than one link; a redirect has only one.
  return same >= others && (same >= 2 || page.links.length === 0)
}

/** Counted once per page, which may have 50,000 such links. */
const tallies = new WeakMap<readonly string[], Map<string, ReadonlyMap<string, number>>>()

function valuesOn(links: readonly string[], name: string): ReadonlyMap<string, number> {
  let tally = tallies.get(links)
  if (tally === undefined) {
    tally = new Map()
    tallies.set(links, tally)
  }
  let values = tally.get(name)
  if (values === undefined) {
    values = countValues(links, name)
    tally.set(name, values)
  }
  return values
}

function countValues(links: readonly string[], name: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>()
  for (const link of links) {
    const value = parameterOf(name, link)
    if (value !== null) values.set(value, (values.get(value) ?? 0) + 1)
  }
  return values
}

/** The value of a parameter as written; null if the URL has none of that name. */
function parameterOf(name: string, url: string): string | null {
  const mark = `${name}=`
  const at = url.indexOf(mark)
  if (at < 1 || !/[?&;]/.test(url.charAt(at - 1))) return null
  const start = at + mark.length
  let end = start
  while (end < url.length && !/[&;#]/.test(url.charAt(end))) end++
  return url.slice(start, end)
}
