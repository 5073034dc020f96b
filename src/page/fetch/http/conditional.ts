/**
 * Conditional requests (D7). A 304 saves the body; a 200 is a new representation, whatever its validators
 * say, and is always read: servers repeat the ETag or Last-Modified of a page that has changed.
 */
import type { Exchange, MetaInfo } from '../../../model/index.js'

/**
 * Request header lines that ask for the page only if it has changed; empty when nothing is known to ask by.
 */
export function validatorLines({ etag, lastModified }: MetaInfo): string {
  let lines = ''
  if (etag !== '' && isSendable(etag)) lines += `If-None-Match: ${etag}\r\n`
  if (lastModified !== '' && isSendable(lastModified)) lines += `If-Modified-Since: ${lastModified}\r\n`
  return lines
}

/** True if a request for the page carries validators, so that 304 is an answer to it. */
export function isConditional(known: MetaInfo | undefined): boolean {
  return known !== undefined && validatorLines(known) !== ''
}

/**
 * False if a 304 names another representation than the known one: a cache must not use it (RFC 9111, 4.3.4).
 * ETags decide where both sides have one; otherwise a later Last-Modified contradicts the 304.
 */
export function confirms(notModified: Exchange, known: MetaInfo): boolean {
  const etag = notModified.header('etag') ?? ''
  if (etag !== '' && known.etag !== '') return opaque(etag) === opaque(known.etag)
  const modified = Date.parse(notModified.header('last-modified') ?? '')
  return !(modified > Date.parse(known.lastModified))
}

/**
 * What is known, without what a request could ask by: the page comes whole, and its digest is still compared.
 */
export function unconditional(known: MetaInfo): MetaInfo {
  return { ...known, etag: '', lastModified: '' }
}

/** Visible latin-1, spaces and tabs: one line, one byte a character. */
export function isSendable(value: string): boolean {
  return /^[\t\x20-\x7e\xa0-\xff]*$/.test(value)
}

/** If-None-Match compares weakly. */
function opaque(etag: string): string {
  return etag.startsWith('W/') ? etag.slice(2) : etag
}
