/**
 * Browsers send non-ASCII letters in the query of a link in the encoding of the page (URL standard): `?q=é`
 * on a windows-1252 page requests `?q=%E9`. Paths are always sent in UTF-8.
 */
import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js'

/** On pages in these encodings, queries are sent in UTF-8. */
const SENT_AS_UTF8 = new Set(['utf-8', 'utf-16le', 'utf-16be', 'replacement'])
/** Escaped in a query too, in increasing order: encodings with shift sequences can produce them. */
const QUERY_SET = ` "#'<>`

export function hasOwnQueries(charset: string): boolean {
  return !SENT_AS_UTF8.has(charset)
}

/** Escapes the non-ASCII letters in the query of `href` as bytes of `charset`. */
export function encodeQuery(href: string, charset: string): string {
  const query = href.indexOf('?')
  if (query < 0 || !hasOwnQueries(charset)) return href
  const hash = href.indexOf('#')
  if (hash >= 0 && hash < query) return href
  const end = hash < 0 ? href.length : hash
  const encoded = href
    .slice(query, end)
    .replace(/[\u0080-\uffff]+/g, letters => percentEncodeAfterEncoding(charset, letters, QUERY_SET))
  return href.slice(0, query) + encoded + href.slice(end)
}
