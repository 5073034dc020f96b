import { crc32 } from 'node:zlib'
import { type Crc32, digestLines } from '../../files/index.js'
import type { StoredKind } from './pack-store.js'
import { digestSegments } from './tables/index.js'

/** The digest of a file of this kind after `buffers` were appended to it. */
export function digestAppend(kind: StoredKind, buffers: readonly Buffer[], before: Crc32): Crc32 {
  switch (kind) {
    case 'warc':
      return buffers.reduce((sum, bytes) => crc32(bytes, sum), before)
    case 'cdxj-log':
      return buffers.reduce((sum, bytes) => digestLines(bytes, sum), before)
    case 'pages-log':
    case 'links-log':
    case 'items-log':
      return digestSegments(buffers, before)
  }
}
