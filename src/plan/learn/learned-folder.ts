/**
 * `learned/` of a crawl directory. `sites.gz` has a JSON object a line, one for each site; the other files
 * are nets (see `data/store/tables/learned-notes.ts`). Lines of text under gzip, because files of nets can be
 * put behind each other, are a tenth of their size, and anybody can read them with zcat. `manifest.json` is
 * written last: it names every file with its length and checksum, and the crawl it belongs to.
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
/** Nets of sites that this crawl did not see, from the crawl before. */
export const KEPT_NETS = 'previous.gz'
export const LEARNED_MANIFEST = `${FOLDER}/manifest.json`
const VERSION = 1

export interface LearnedManifest {
  readonly version: number
  /**
   * When the crawl that it was learned in was begun: what was copied here from another crawl says something
   * else.
   */
  readonly crawl: string
  readonly writtenAt: string
  readonly sites: number
  /** What the agents were found able to do; absent where nobody looked. */
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

/** Why what was learned is of no use, in one line. */
export interface LearnedTrouble {
  readonly trouble: string
}

export function manifestPath(directory: string): string {
  return join(directory, LEARNED_MANIFEST)
}

/**
 * Every file that the manifest names, by its path in the crawl directory; none where there is no sound
 * manifest.
 */
export function learnedFilesOf(directory: string): { name: string; bytes: number; crc32: number }[] {
  const path = manifestPath(directory)
  const file = existsSync(path) ? readSealed(path, LEARNED_MANIFEST) : null
  if (file?.seal !== 'right') return []
  const { files } = file.content as LearnedManifest
  return files.map(({ name, bytes, crc32 }) => ({ name: `${FOLDER}/${name}`, bytes, crc32 }))
}

/** What the crawl of `directory`, which began at `crawl`, has learned; or why that cannot be used. */
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

/**
 * Checksums of files, each read once and piece by piece: while a crawl runs they are asked for again and
 * again, and what conversion or an earlier crawl has written does not change.
 */
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

/** The lines of a file, one after the other; memory does not grow with it. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const unpacked = createReadStream('', { fd: openSync(path, OPEN.read) }).pipe(createGunzip())
  for await (const line of createInterface({ input: unpacked, crlfDelay: Number.POSITIVE_INFINITY }))
    if (line !== '') yield line
}
