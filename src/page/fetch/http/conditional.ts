/**
 * Conditional requests (D7). A 304 saves the body. A 200 is always read, even with known validators: some
 * servers repeat the ETag or Last-Modified of a page that has changed.
 */
import type { Exchange, MetaInfo } from '../../../model/index.js'
import type { ResponseHead } from './response-head.js'

/** The header lines of a conditional request; empty without usable validators. */
export function validatorLines({ etag, lastModified }: MetaInfo): string {
  let lines = ''
  if (etag !== '' && isSendable(etag)) lines += `If-None-Match: ${etag}\r\n`
  if (lastModified !== '' && isSendable(lastModified)) lines += `If-Modified-Since: ${lastModified}\r\n`
  return lines
}

/** True if a request for the page has validators, so that a 304 can be its answer. */
export function isConditional(known: MetaInfo | undefined): boolean {
  return known !== undefined && validatorLines(known) !== ''
}

/**
 * False if a 304 is about another representation than the known one, so that a cache must not use it (RFC
 * 9111, 4.3.4). ETags decide if both have one; otherwise a later Last-Modified contradicts the 304.
 */
export function confirms(notModified: Exchange, known: MetaInfo): boolean {
  const etag = notModified.header('etag') ?? ''
  if (etag !== '' && known.etag !== '') return opaque(etag) === opaque(known.etag)
  const modified = Date.parse(notModified.header('last-modified') ?? '')
  return !(modified > Date.parse(known.lastModified))
}

/** How a server decides that the known version is the one that it has: then it answers 304. */
export function confirmsKnown(head: ResponseHead, known: MetaInfo | undefined): boolean {
  if (known === undefined || head.status !== 200) return false
  const etag = head.header('etag') ?? ''
  if (known.etag !== '') return etag !== '' && opaque(etag) === opaque(known.etag)
  return Date.parse(head.header('last-modified') ?? '') <= Date.parse(known.lastModified)
}

/** `known` without validators: the page is fetched whole, and its digest still compared. */
export function unconditional(known: MetaInfo): MetaInfo {
  return { ...known, etag: '', lastModified: '' }
}

/** Visible Latin-1, spaces and tabs: one line, one byte per character. */
export function isSendable(value: string): boolean {
  return /^[\t\x20-\x7e\xa0-\xff]*$/.test(value)
}

/** If-None-Match uses weak comparison. */
function opaque(etag: string): string {
  return etag.startsWith('W/') ? etag.slice(2) : etag
}
