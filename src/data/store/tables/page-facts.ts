/**
 * The facts of a page row about the page itself, packed. A page that has not changed has the same facts in
 * the next crawl.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { PageRow } from '../../../model/index.js'

export type PageFacts = Pick<
  PageRow,
  | 'mime'
  | 'mimeDetected'
  | 'charset'
  | 'languages'
  | 'title'
  | 'description'
  | 'canonical'
  | 'outlinks'
  | 'outlinksForeign'
  | 'text'
>

const LENGTH_BYTES = 4
/** Text shrinks to a third at the first level, and hardly further at the others. */
const LEVEL = 1

export function packFacts({ text, ...rest }: PageFacts): Uint8Array {
  const head = Buffer.from(JSON.stringify(rest))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(head.length)
  return deflateRawSync(Buffer.concat([length, head, text]), { level: LEVEL })
}

export function unpackFacts(packed: Uint8Array): PageFacts {
  const bytes = inflateRawSync(packed)
  const textStart = LENGTH_BYTES + bytes.readUInt32LE(0)
  const rest = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, textStart)) as Omit<PageFacts, 'text'>
  return { ...rest, text: bytes.subarray(textStart) }
}
