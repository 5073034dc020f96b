/**
 * Compares the files of a crawl directory with what its ledger lists, before a resume changes anything. A
 * crash leaves little that the ledger does not know: at most one pack behind the committed part of a file,
 * files that only such a pack has touched, and the files of a swap of tables. More than that shows that the
 * ledger is older than the directory, and committed bytes that are not there show that the directory is
 * older, or damaged.
 */
import { closeSync, existsSync, fstatSync, openSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { incarnationIn, locateFile, storeEntries } from '../../data/store/index.js'
import { packsBetween } from '../../data/store/tables/index.js'
import type { FileRow, Ledger } from '../../ledger/index.js'
import { LIMITS } from '../../model/index.js'

export interface Survey {
  /** The first difference that no crash can explain, as a line for the user; null if there is none. */
  readonly ahead: string | null
  /** Listed files that are shorter than what was committed, or gone. */
  readonly missing: readonly MissingBytes[]
}

export interface MissingBytes {
  readonly name: string
  readonly bytes: number
}

interface FoundFile {
  /** Without `.open`. */
  readonly name: string
  readonly bytes: number
}

const OPEN = /\.open$/
/** Half of a copy that recovery was making. */
const TEMPORARY = '.tmp'

/**
 * Agents may be at work meanwhile: bytes that are found before the ledger is read were committed, or belong
 * to the one open pack. `maxBody`: the longest page of the crawl, in bytes.
 */
export async function surveyStore(directory: string, ledger: Ledger, maxBody: number): Promise<Survey> {
  const found = filesIn(directory)
  const { lastIncarnation } = await ledger.crawlState()
  const files = await ledger.files()
  // A swap may replace a file between the two looks: then it is not listed any more.
  const suspects = new Set(missingOf(directory, files).map(({ name }) => name))
  const missing =
    suspects.size === 0
      ? []
      : missingOf(directory, await ledger.files()).filter(({ name }) => suspects.has(name))
  const ahead =
    aheadOf({ directory, found, files, lastIncarnation, maxBody }) ?? swapOf(directory, missing, files)
  return { ahead, missing }
}

/** The files of incarnations in the folders of the store. */
function filesIn(directory: string): FoundFile[] {
  const files = new Map<string, FoundFile>()
  for (const { folder, entry } of storeEntries(directory)) {
    if (incarnationIn(entry) === null || entry.endsWith(TEMPORARY)) continue
    const name = `${folder}/${entry.replace(OPEN, '')}`
    files.set(name, { name, bytes: sizeOf(directory, name) })
  }
  return [...files.values()]
}

interface Compared {
  readonly directory: string
  readonly found: readonly FoundFile[]
  readonly files: readonly FileRow[]
  readonly lastIncarnation: number
  readonly maxBody: number
}

function aheadOf({ directory, found, files, lastIncarnation, maxBody }: Compared): string | null {
  // A pack is sealed when it has reached its size; what is being fetched at that moment may still join it.
  const packBytesMax = LIMITS.packBytes + Math.max(LIMITS.bodyBytesInFlight, 2 * maxBody)
  const committed = new Map(files.map(({ name, bytes }) => [name, bytes]))
  for (const { name, bytes } of found) {
    if (incarnationIn(name)! > lastIncarnation)
      return `${name} was written by an agent that the ledger does not know`
    const known = committed.get(name)
    const more = bytes - (known ?? 0)
    if (name.startsWith('archive/') && !name.endsWith('.cdxj') && more > packBytesMax)
      return `${name} has ${more} bytes that the ledger does not know`
    // A log that is not listed may have become Parquet just before the crash.
    if (name.endsWith('.rows') && known !== undefined && more > 0) {
      const path = locateFile(directory, name)
      const packs = path === null ? 0 : packsBetween(path, known, bytes)
      if (packs > 1) return `${name} has ${packs} packs that the ledger does not know`
    }
  }
  return null
}

/** Files of a table are removed only after the ledger lists what was made of them. */
function swapOf(
  directory: string,
  missing: readonly MissingBytes[],
  files: readonly FileRow[],
): string | null {
  const listed = new Set(files.map(({ name }) => name))
  for (const folder of new Set(missing.map(({ name }) => dirname(name)))) {
    if (!folder.startsWith('tables/')) continue
    const entries = readdirSync(join(directory, folder)).map(entry => `${folder}/${entry}`)
    const made = entries.find(name => name.endsWith('.parquet') && !listed.has(name))
    if (made !== undefined) return `${made} has replaced files that the ledger still lists`
  }
  return null
}

function missingOf(directory: string, files: readonly FileRow[]): MissingBytes[] {
  return files.flatMap(({ name, kind, bytes }) => {
    // Lost files of learned data are no damage: they are made again.
    if (kind.startsWith('learned-')) return []
    // A sorted index is made of the whole log and replaces it.
    const isSorted = kind === 'cdxj-log' && existsSync(join(directory, name))
    const here = isSorted ? bytes : sizeOf(directory, name)
    return here < bytes ? [{ name, bytes: bytes - here }] : []
  })
}

/**
 * The length of a file; 0 if it is missing. The file is opened, because a network file system may answer
 * `stat` from its cache.
 */
function sizeOf(directory: string, name: string): number {
  const path = locateFile(directory, name)
  if (path === null) return 0
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error
    // Meanwhile its agent has given the file its final name, or the file was converted to Parquet.
    return existsSync(join(directory, name)) ? sizeOf(directory, name) : 0
  }
  try {
    return fstatSync(file).size
  } finally {
    closeSync(file)
  }
}
