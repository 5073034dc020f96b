/**
 * The folder `learned/` of a crawl directory. `sites.gz` has one JSON object per line and site; the other
 * files are nets (see `data/store/tables/learned-notes.ts`). They are gzipped text, because such files can be
 * concatenated and anyone can read them with zcat. `manifest.json` is written last: it has the length and
 * checksum of each file, and the crawl that they belong to.
 */
import { createReadStream, existsSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { digestFile, OPEN, readSealed } from '../../files/index.js'
import { isInsideName } from '../../model/url/index.js'
import type { AgentAbility } from '../assign/learned/index.js'

export const FOLDER = 'learned'
export const SITES = 'sites.gz'
/** Nets of the previous crawl, of sites that this crawl did not see. */
export const KEPT_NETS = 'previous.gz'
export const LEARNED_MANIFEST = `${FOLDER}/manifest.json`
const VERSION = 1

export interface LearnedManifest {
  readonly version: number
  /** When the crawl that learned this was begun; it differs if the folder was copied from another crawl. */
  readonly crawl: string
  readonly writtenAt: string
  readonly sites: number
  /** The measured abilities of the agents; absent if nothing was measured. */
  readonly agents?: readonly AgentAbility[]
  readonly files: readonly LearnedFile[]
}

export interface LearnedFile {
  /** Below `learned/`. */
  readonly name: string
  readonly holds: 'sites' | 'nets'
  readonly bytes: number
  readonly crc32: number
}

/** The reason, in one line, why `learned/` cannot be used. */
export interface LearnedTrouble {
  readonly trouble: string
}

export function manifestPath(directory: string): string {
  return join(directory, LEARNED_MANIFEST)
}

/** The files of the manifest, by their paths in the crawl directory; none without a sound manifest. */
export function learnedFilesOf(directory: string): { name: string; bytes: number; crc32: number }[] {
  const path = manifestPath(directory)
  const file = existsSync(path) ? readSealed(path, LEARNED_MANIFEST) : null
  if (file?.seal !== 'right') return []
  const { files } = file.content as LearnedManifest
  return files.map(({ name, bytes, crc32 }) => ({ name: `${FOLDER}/${name}`, bytes, crc32 }))
}

/** The manifest of the crawl in `directory`, begun at `crawl`, after a check of all files. */
export function learnedIn(
  directory: string,
  crawl: string,
  checksums = new Checksums(),
): LearnedManifest | LearnedTrouble {
  const folder = join(directory, FOLDER)
  const path = manifestPath(directory)
  if (!existsSync(path)) {
    const isBegun = existsSync(folder) && readdirSync(folder).length > 0
    return { trouble: `${folder} ${isBegun ? 'is half-written (no manifest.json)' : 'is not there'}` }
  }
  const file = readSealed(path, LEARNED_MANIFEST)
  const manifest = file && (file.content as LearnedManifest)
  if (!Array.isArray(manifest?.files)) return { trouble: `${path} is damaged` }
  if (manifest.version !== VERSION)
    return { trouble: `${folder} has version ${manifest.version}, not ${VERSION}` }
  if (manifest.crawl !== crawl) return { trouble: `${folder} was learned by another crawl` }
  if (file?.seal !== 'right') return { trouble: `${path} is damaged: its checksum differs` }
  for (const file of manifest.files) {
    if (!isInsideName(file.name)) return { trouble: `${path} names a file outside of ${folder}` }
    const own = join(folder, file.name)
    if (!existsSync(own)) return { trouble: `${own} is missing` }
    if (statSync(own).size !== file.bytes || checksums.of(own) !== file.crc32)
      return { trouble: `${own} is not as it was written` }
  }
  return manifest
}

export function describeFile(
  directory: string,
  name: string,
  holds: LearnedFile['holds'],
  checksums: Checksums,
): LearnedFile {
  const path = join(directory, FOLDER, name)
  return { name, holds, bytes: statSync(path).size, crc32: checksums.of(path) }
}

export function manifestOf(content: Omit<LearnedManifest, 'version'>): LearnedManifest {
  return { version: VERSION, ...content }
}

/** Checksums of files. They are cached: they are needed often during a crawl, and the files do not change. */
export class Checksums {
  readonly #known = new Map<string, { readonly version: string; readonly crc32: number }>()

  of(path: string): number {
    const { size, mtimeMs } = statSync(path)
    const version = `${size} ${mtimeMs}`
    const known = this.#known.get(path)
    if (known?.version === version) return known.crc32
    const { crc32 } = digestFile(path, FOLDER, size)
    this.#known.set(path, { version, crc32 })
    return crc32
  }
}

/** Streams the lines of a gzipped file. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const unpacked = createReadStream('', { fd: openSync(path, OPEN.read) }).pipe(createGunzip())
  for await (const line of createInterface({ input: unpacked, crlfDelay: Number.POSITIVE_INFINITY }))
    if (line !== '') yield line
}
