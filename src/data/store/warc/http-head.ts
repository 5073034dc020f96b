/**
 * The response head as it is archived: the head as received, except in three cases in which archive readers
 * would misread it:
 * - the body was chunked. The standard digests the payload without the chunk framing, warcio digests what
 *   stands behind the head. They agree only on an unframed payload, so that is stored and the header that
 *   promises framing is renamed. The payload's Content-Encoding stays.
 * - lines end in a bare LF: readers look for CR LF CR LF and would run on into the body. The ends are
 *   repaired.
 * - there is a status line and nothing else: warcio then reads the body as headers. A header says there was
 *   none.
 */
import type { Exchange } from '../../../model/index.js'

const CRLF = '\r\n'
const CR = 0x0d
const LF = 0x0a
const RENAMED = 'X-Archive-Orig-Transfer-Encoding'

export function archivedHead(exchange: Exchange): Buffer {
  const head = exchange.responseHead
  const dechunked = exchange.payload !== exchange.rawBody
  if (!dechunked && isWellFormed(head)) return head
  const lines = head.toString('latin1').split('\n').map(withoutReturn)
  while (lines.length > 1 && lines[lines.length - 1] === '') lines.pop()
  const kept = lines.flatMap(line => (dechunked ? renameFraming(line) : [line])).filter(line => line !== '')
  if (kept.length < 2) kept.push('X-Archive-Orig-Headers: none')
  return Buffer.from(kept.join(CRLF) + CRLF + CRLF, 'latin1')
}

/** Ends in an empty line, has a header, and no bare LF. */
function isWellFormed(head: Buffer): boolean {
  let lines = 0
  let lineStart = 0
  for (let at = 0; at < head.length; at++) {
    if (head[at] !== LF) continue
    if (head[at - 1] !== CR) return false
    lines++
    if (at - lineStart === 1) return lines > 2 && at === head.length - 1
    lineStart = at + 1
  }
  return false
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/** Codings beside `chunked` were not undone, so the header that names them stays too. */
function renameFraming(line: string): string[] {
  const colon = line.indexOf(':')
  if (line.slice(0, colon).trim().toLowerCase() !== 'transfer-encoding') return [line]
  const codings = line.slice(colon + 1).split(',')
  const others = codings.map(coding => coding.trim()).filter(coding => !/^(chunked)?$/i.test(coding))
  const renamed = RENAMED + line.slice(colon)
  return others.length === 0 ? [renamed] : [renamed, `${line.slice(0, colon)}: ${others.join(', ')}`]
}
