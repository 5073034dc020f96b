/** Where a body ends, told from its head (RFC 9112, 6.3). */
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

/** Several lengths are fine as long as they agree. */
function lengthFraming(lengths: readonly string[]): Framing | HeadFailure {
  const [length] = lengths
  if (!/^\d{1,15}$/.test(length)) return badLength(length)
  if (lengths.some(other => other !== length)) return badLength(lengths.slice(0, 3).join(', '))
  return { by: 'length', bytes: Number(length) }
}

function badLength(said: string): HeadFailure {
  return { code: 'BAD_RESPONSE', detail: `bad Content-Length ${JSON.stringify(said.slice(0, 40))}` }
}

/** Whether the server will take another request on the connection, once the body has ended where it said. */
export function isPersistent(head: ResponseHead, framing: Framing): boolean {
  if (framing.by === 'close') return false
  // Both framings at once is how responses are smuggled: the chunks are believed, the connection is not kept.
  if (framing.by === 'chunked' && head.header('content-length') !== undefined) return false
  const options = head.members('connection')
  if (options.includes('close')) return false
  return head.minor === 1 || options.includes('keep-alive')
}

/** What was done to the payload, in the order it was done; `identity` and framing left out. */
export function codingsOf(head: ResponseHead): readonly string[] {
  const ofContent = head.members('content-encoding')
  const ofTransfer = head.members('transfer-encoding')
  if (ofContent.length === 0 && ofTransfer.length === 0) return ofContent
  const codings = [...ofContent, ...ofTransfer.filter(coding => coding !== 'chunked')]
  return codings.filter(coding => coding !== 'identity')
}
