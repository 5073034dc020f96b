/** Checks the small JSON files of a crawl, which contain their own checksums. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readSealed } from '../files/index.js'
import type { Damage } from './damage.js'

/** `content` is null if the file is missing or damaged. */
export interface SmallFile {
  readonly content: unknown
  readonly damage: Damage | null
}

/** `mustExist`: its absence is damage. */
export function readSmallFile(
  directory: string,
  file: string,
  kind: Damage['kind'],
  mustExist: boolean,
): SmallFile {
  const broken = (what: Damage['what'], detail: string): SmallFile => ({
    content: null,
    damage: { file, kind, what, detail },
  })
  const path = join(directory, file)
  if (!existsSync(path)) return mustExist ? broken('missing', 'is missing') : { content: null, damage: null }
  const read = readSealed(path, file)
  if (read === null) return broken('unreadable', 'is damaged: it does not hold a JSON object')
  if (read.seal === 'wrong') return broken('altered', 'is damaged: its checksum differs')
  if (read.seal === 'none') return broken('altered', 'has no checksum: it was edited or damaged')
  return { content: read.content, damage: null }
}
