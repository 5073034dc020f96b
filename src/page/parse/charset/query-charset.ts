/**
 * A page in an encoding of its own has the letters of its links' queries sent in that encoding (URL
 * standard), as browsers do: `?q=é` on a windows-1252 page asks for `?q=%E9`. Paths are sent in UTF-8
 * whatever the page.
 */
import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js'

/** Queries of pages in these are sent in UTF-8. */
const SENT_AS_UTF8 = new Set(['utf-8', 'utf-16le', 'utf-16be', 'replacement'])
/** Also escaped in a query, in increasing order; an encoding with shifts can bring them up. */
const QUERY_SET = ` "#'<>`

export function hasOwnQueries(charset: string): boolean {
  return !SENT_AS_UTF8.has(charset)
}

/** The link with other letters than ASCII in its query written as their bytes in `charset`. */
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
