/**
 * Session ids in URLs. A link with one is followed without it: the page is the same, and its next visit would bring
 * new links. Some names mean nothing else; others (`sid`, `session`) may be an honest number, so their value must
 * look drawn by lot and be the only one of its name on the page, as a session's is.
 */

/** Names that are session ids wherever they stand. Their value is some letters and digits. */
const SURE =
  /^(?:jsessionid|phpsessid|phpsessionid|aspsessionid[a-z]*|asp\.net_sessionid|cfid|cftoken|oscsid|oscid|zenid|sessid|ncsid|mscsid|bv_sessionid|bv_engineid)$/i
const UNSURE =
  /^(?:sid|s|ssid|sess|session|sessionid|session_id|session-id|sessionkey|session_key|usersession)$/i
const SURE_VALUE = /^[\w.!~:,*+%-]{4,}$/
/** Cookieless sessions of ASP.NET: `/(S(lit3py55t21z5v55vlm25s55))/`. */
const IN_FOLDER = /\/\((?:[A-Z]\([\w-]{8,}\))+\)(?=\/)/g
const IN_PATH = /;(?:jsessionid|phpsessid|sessionid|sid)=[^/?;#]*/gi
/** No query, parameter or bracket, no session: most URLs end here. */
const MARKS = /[?;(]/
const MAYBE = /[;(]|sess|sid|zenid|cftoken|cfid|oscid|bv_engineid|[?&]s=/i

/** The other links of the page a URL stands on. */
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
  return isClassic(value) || (page !== null && isTheOnlyOne(name, value, page))
}

/** Letters and digits mixed, at least eight: no word, no number, no date. */
function looksDrawn(value: string): boolean {
  return /^[\da-z]{8,}$/i.test(value) && /\d.*\d/.test(value) && /[a-z]/i.test(value)
}

/** What PHP and its kin make: 32, 40 or 64 hexadecimal digits, or 26 of a larger alphabet. */
function isClassic(value: string): boolean {
  return /^(?:[\da-f]{32}|[\da-f]{40}|[\da-f]{64}|[\da-v]{26})$/i.test(value)
}

/** At least two links have it, no link has another, and the page itself is not called by it. */
function isTheOnlyOne(name: string, value: string, page: PageContext): boolean {
  const mark = `${name}=`
  if (page.url.includes(`${mark}${value}`)) return false
  let same = 0
  for (const link of page.links) {
    const at = link.indexOf(mark)
    if (at < 1 || !/[?&;]/.test(link.charAt(at - 1))) continue
    if (!link.startsWith(value, at + mark.length)) return false
    same++
  }
  return same >= 2
}
