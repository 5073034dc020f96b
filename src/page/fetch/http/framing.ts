/** Determines where a body ends from its head (RFC 9112, 6.3). */
import type { HeadFailure, ResponseHead } from './response-head.js'

export type Framing =
  | { readonly by: 'none' }
  | { readonly by: 'length'; readonly bytes: number }
  | { readonly by: 'chunked' }
  | { readonly by: 'close' }

const NONE: Framing = { by: 'none' }
const CHUNKED: Framing = { by: 'chunked' }
const CLOSE: Framing = { by: 'close' }

export function bodyFraming(head: ResponseHead): Framing | HeadFailure {
  if (head.status === 204 || head.status === 304) return NONE
  const codings = head.members('transfer-encoding')
  if (codings.includes('chunked')) return CHUNKED
  if (codings.some(coding => coding !== 'identity')) return CLOSE
  const lengths = head.members('content-length')
  if (lengths.length > 0) return lengthFraming(lengths)
  return head.header('content-length') === undefined ? CLOSE : badLength('')
}

/** Several equal lengths are accepted. */
function lengthFraming(lengths: readonly string[]): Framing | HeadFailure {
  const [length] = lengths
  if (!/^\d{1,15}$/.test(length)) return badLength(length)
  if (lengths.some(other => other !== length)) return badLength(lengths.slice(0, 3).join(', '))
  return { by: 'length', bytes: Number(length) }
}

function badLength(said: string): HeadFailure {
  return { code: 'BAD_RESPONSE', detail: `bad Content-Length ${JSON.stringify(said.slice(0, 40))}` }
}

/** Whether the server will accept another request on the connection after this body. */
export function isPersistent(head: ResponseHead, framing: Framing): boolean {
  if (framing.by === 'close') return false
  // Both framings at once indicate response smuggling: the chunks count, and the connection is not reused.
  if (framing.by === 'chunked' && head.header('content-length') !== undefined) return false
  const options = head.members('connection')
  if (options.includes('close')) return false
  return head.minor === 1 || options.includes('keep-alive')
}

/** The codings of the payload in order of application, without `identity` and framing. */
export function codingsOf(head: ResponseHead): readonly string[] {
  const ofContent = head.members('content-encoding')
  const ofTransfer = head.members('transfer-encoding')
  if (ofContent.length === 0 && ofTransfer.length === 0) return ofContent
  const codings = [...ofContent, ...ofTransfer.filter(coding => coding !== 'chunked')]
  return codings.filter(coding => coding !== 'identity')
}
