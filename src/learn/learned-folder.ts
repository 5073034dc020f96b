/**
 * `learned/` of a crawl directory. `sites.gz` has a JSON object a line, one for each site; the other files are nets (see
 * `store/learned-notes.ts`). Lines of text under gzip, because files of nets can be put behind each other, are a tenth of
 * their size, and anybody can read them with zcat. `manifest.json` is written last: it names every file with its length and
 * checksum, and the crawl it belongs to.
 */
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { crc32, createGunzip } from 'node:zlib'

export const FOLDER = 'learned'
export const SITES = 'sites.gz'
/** Nets of sites that this crawl did not see, from the crawl before. */
export const KEPT_NETS = 'previous.gz'
const MANIFEST = 'manifest.json'
const VERSION = 1

export interface LearnedManifest {
  readonly version: number
  /** When the crawl that it was learned in was begun: what was copied here from another crawl says something else. */
  readonly crawl: string
  readonly writtenAt: string
  readonly sites: number
  readonly files: readonly LearnedFile[]
}

interface LearnedFile {
  /** Below `learned/`. */
  readonly name: string
  readonly holds: 'sites' | 'nets'
  readonly bytes: number
  readonly crc32: number
}

/** Why what was learned is of no use, in one line. */
export interface LearnedTrouble {
  readonly trouble: string
}

export function manifestPath(directory: string): string {
  return join(directory, FOLDER, MANIFEST)
}

/** What the crawl of `directory`, which began at `crawl`, has learned; or why that cannot be used. */
export function learnedIn(directory: string, crawl: string): LearnedManifest | LearnedTrouble {
  const folder = join(directory, FOLDER)
  const path = manifestPath(directory)
  if (!existsSync(path)) {
    const isBegun = existsSync(folder) && readdirSync(folder).length > 0
    return { trouble: `${folder} ${isBegun ? 'is half-written (no manifest.json)' : 'is not there'}` }
  }
  const manifest = parsed(path)
  if (manifest === null) return { trouble: `${path} is damaged` }
  if (manifest.version !== VERSION)
    return { trouble: `${folder} has version ${manifest.version}, not ${VERSION}` }
  if (manifest.crawl !== crawl) return { trouble: `${folder} was learned by another crawl` }
  for (const file of manifest.files) {
    const own = join(folder, file.name)
    if (!existsSync(own)) return { trouble: `${own} is missing` }
    if (statSync(own).size !== file.bytes || checksumOf(own) !== file.crc32)
      return { trouble: `${own} is not as it was written` }
  }
  return manifest
}

function parsed(path: string): LearnedManifest | null {
  try {
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as LearnedManifest
    return Array.isArray(manifest.files) ? manifest : null
  } catch {
    return null
  }
}

export function describeFile(directory: string, name: string, holds: LearnedFile['holds']): LearnedFile {
  const path = join(directory, FOLDER, name)
  return { name, holds, bytes: statSync(path).size, crc32: checksumOf(path) }
}

export function manifestOf(
  crawl: string,
  writtenAtMs: number,
  sites: number,
  files: readonly LearnedFile[],
): LearnedManifest {
  return { version: VERSION, crawl, writtenAt: new Date(writtenAtMs).toISOString(), sites, files }
}

function checksumOf(path: string): number {
  return crc32(readFileSync(path))
}

/** The lines of a file, one after the other; memory does not grow with it. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const unpacked = createReadStream(path).pipe(createGunzip())
  for await (const line of createInterface({ input: unpacked, crlfDelay: Number.POSITIVE_INFINITY }))
    if (line !== '') yield line
}
