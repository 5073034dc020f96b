/** The WARC files that `--source PREFIX=warc:PATH` names. */
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export interface ArchiveFile {
  readonly path: string
  readonly bytes: number
  readonly mtimeMs: number
  /** The CDXJ index beside it; empty if there is none. */
  readonly index: string
}

const WARC = /\.warc(?:\.gz|\.zst)?$/

/** `pattern`: a file, a directory, or a path with `*` and `?` in its last part. Sorted by name. */
export function archiveFiles(pattern: string): readonly ArchiveFile[] {
  const stats = statSync(pattern, { throwIfNoEntry: false })
  if (stats?.isFile()) return [fileAt(pattern)].flatMap(file => file ?? [])
  const folder = stats?.isDirectory() ? pattern : dirname(pattern)
  const name = stats?.isDirectory() ? WARC : wildcard(basename(pattern))
  const names = namesIn(folder).filter(entry => name.test(entry))
  return names.sort().flatMap(entry => fileAt(join(folder, entry)) ?? [])
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function fileAt(path: string): ArchiveFile | null {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile()) return null
  return { path, bytes: stats.size, mtimeMs: stats.mtimeMs, index: indexOf(path) }
}

/** `x.cdxj` or `x.warc.gz.cdxj` for `x.warc.gz`. */
function indexOf(path: string): string {
  const names = [path.replace(WARC, '.cdxj'), `${path}.cdxj`]
  return names.find(name => name !== path && statSync(name, { throwIfNoEntry: false })?.isFile()) ?? ''
}

function wildcard(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`, 's')
}
