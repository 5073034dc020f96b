/** D7: decides by the headers whether a body is wanted. */
import type { OutcomeCode } from '../../../model/index.js'
import type { ResponseHead } from './response-head.js'

export interface Unwanted {
  readonly code: OutcomeCode
  readonly detail: string
}

/**
 * Why the body is not wanted; null if it is. Only a 200 is refused, because other pages are part of the
 * record. `types` are the wanted prefixes; default: all.
 */
export function unwantedBody(head: ResponseHead, types: readonly string[] | undefined): Unwanted | null {
  if (head.status !== 200 || types === undefined) return null
  if (isWantedType(head.header('content-type') ?? '', types)) return null
  const type = JSON.stringify(head.header('content-type')?.slice(0, 80))
  return { code: 'TYPE_NOT_WANTED', detail: `content type ${type}` }
}

/** A missing type is wanted. */
export function isWantedType(contentType: string, types: readonly string[]): boolean {
  const type = contentType.toLowerCase()
  return type === '' || types.some(prefix => type.startsWith(prefix))
}
