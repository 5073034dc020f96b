/** D7: the headers tell whether the body is worth its bytes. */
import type { OutcomeCode } from '../model/outcome.js'
import type { MetaInfo } from '../model/page.js'
import type { FetchRequest } from './fetcher.js'
import type { ResponseHead } from './response-head.js'

export interface Unwanted {
  readonly code: OutcomeCode
  readonly detail: string
}

/**
 * Why the body is not wanted, or null when it is. Only a 200 is refused: other pages are part of the record.
 */
export function unwantedBody(head: ResponseHead, request: FetchRequest): Unwanted | null {
  if (head.status !== 200) return null
  if (request.types !== undefined && !isWantedType(head, request.types)) {
    const type = JSON.stringify(head.header('content-type')?.slice(0, 80))
    return { code: 'TYPE_NOT_WANTED', detail: `content type ${type}` }
  }
  if (request.known !== undefined && isKnown(head, request.known)) {
    return { code: 'NOT_MODIFIED', detail: 'the validators are those of the previous crawl' }
  }
  return null
}

function isWantedType(head: ResponseHead, types: readonly string[]): boolean {
  const type = head.header('content-type')?.toLowerCase() ?? ''
  return type === '' || types.some(prefix => type.startsWith(prefix))
}

/** A server that ignored our question still tells by its validators that nothing changed. */
function isKnown(head: ResponseHead, known: MetaInfo): boolean {
  const etag = head.header('etag') ?? ''
  if (etag !== '' || known.etag !== '') return opaque(etag) === opaque(known.etag)
  return known.lastModified !== '' && head.header('last-modified') === known.lastModified
}

function opaque(etag: string): string {
  return etag.startsWith('W/') ? etag.slice(2) : etag
}
