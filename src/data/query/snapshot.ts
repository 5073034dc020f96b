/**
 * Keeps the files of a crawl as they are at one moment while they are read. Merges of a running crawl replace
 * small files by larger ones, so Parquet files get a second name (a hard link) beside the tables, and row
 * logs are converted into a scratch folder. All of it is removed at the end.
 */
import { existsSync } from 'node:fs'
import { link, readdir, rm, stat } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { CheckedFiles, damageError } from '../../files/index.js'
import { DamagedFileError } from '../store/tables/index.js'
import { convertLogs } from '../store/tables/parquet/index.js'
import type { TableName } from './columns.js'
import { type CrawlFiles, listCrawlFiles, requireCrawl } from './crawl-files.js'
import { makeScratch, removeScratch } from './scratch.js'
import type { TableFiles } from './views.js'

export interface Snapshot {
  readonly files: TableFiles
  /** Another name for the items; null without one. */
  readonly guest: string | null
  /** Removed by `close`. */
  readonly scratchDir: string
  /** True when a file was removed since: the crawl has to be listed again. */
  isStale(): boolean
  close(): Promise<void>
}

interface SnapshotOptions {
  /** Receives a line when the list of files is not the ledger's. */
  readonly note?: ((line: string) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Listings, if merges remove files before they are linked; merges are seconds apart. */
const TRIES = 5
const PIN_PREFIX = '.reading-'

/**
 * Compares every file with its digest first. Throws a ConfigError if `dir` is not a crawl, a DamageError, or
 * the signal's reason.
 */
export async function openSnapshot(dir: string, options: SnapshotOptions = {}): Promise<Snapshot> {
  const { note = () => {}, signal } = options
  requireCrawl(dir)
  const checked = new CheckedFiles(dir)
  try {
    for (let tries = 1; ; tries++) {
      const listed = await listCrawlFiles(dir, checked, note)
      const folders: string[] = []
      try {
        return await holdFiles(dir, listed, folders, checked, signal)
      } catch (error) {
        await removeAll(folders)
        if (!isMissing(error) || tries === TRIES) throw asDamage(dir, error)
      }
    }
  } finally {
    checked.save()
  }
}

/** A DamageError for a listed file that is missing or a row log that is damaged; other errors as they are. */
function asDamage(dir: string, error: unknown): unknown {
  if (error instanceof DamagedFileError) return damageError(dir, relative(dir, error.path), error.reason)
  const { code, path } = error as NodeJS.ErrnoException
  return code === 'ENOENT' && path !== undefined ? damageError(dir, relative(dir, path), 'is missing') : error
}

async function holdFiles(
  dir: string,
  listed: CrawlFiles,
  folders: string[],
  checked: CheckedFiles,
  signal: AbortSignal | undefined,
): Promise<Snapshot> {
  const scratchDir = await makeScratch(join(tmpdir(), 'orbweaver-query-'))
  folders.push(scratchDir)
  const files: Record<TableName, string[]> = { pages: [], links: [], items: [], sites: [] }
  const pins = listed.open && !listed.isForeign ? await openPins(join(dir, 'tables'), folders) : null
  for (const { table, path, listed: file } of listed.parquet) {
    // In a running crawl, sites are counted from the pages.
    if (table === 'sites' && listed.open) continue
    const held = await hold(path, pins, `${table}-${files[table].length}`)
    // Asynchronous, so that a signal can arrive between two files.
    await stat(held)
    signal?.throwIfAborted()
    const problem = checked.check(held, file)
    if (problem) throw damageError(dir, file.name, problem.detail)
    files[table].push(held)
  }
  for (const table of ['pages', 'links', 'items'] as const) {
    const logs = listed.logs.filter(log => log.table === table)
    if (logs.length === 0) continue
    signal?.throwIfAborted()
    const outPath = join(scratchDir, `${table}.parquet`)
    convertLogs({
      table,
      logs: logs.map(({ path, listed: { bytes, crc32 } }) => ({ path, committedBytes: bytes, crc32 })),
      outPath,
    })
    files[table].push(outPath)
  }
  return {
    files,
    guest: listed.guest,
    scratchDir,
    isStale: () => Object.values(files).some(paths => paths.some(path => !existsSync(path))),
    close: () => removeAll(folders),
  }
}

/** A folder for hard links; null if it cannot be made: then the files are read under their own names. */
async function openPins(tablesDir: string, folders: string[]): Promise<string | null> {
  const owner = `${PIN_PREFIX}${hostname()}-`
  try {
    for (const name of await readdir(tablesDir))
      if (name.startsWith(owner) && !isRunning(Number(name.slice(owner.length).split('-')[0])))
        await rm(join(tablesDir, name), { recursive: true, force: true })
    const folder = await makeScratch(join(tablesDir, `${owner}${process.pid}-`))
    folders.push(folder)
    return folder
  } catch {
    return null
  }
}

async function hold(path: string, pins: string | null, name: string): Promise<string> {
  if (pins === null) return path
  const pinned = join(pins, `${name}.parquet`)
  try {
    await link(path, pinned)
    return pinned
  } catch (error) {
    if (isMissing(error)) throw error
    return path
  }
}

/** A killed query leaves its links behind, which keep the disk space of merged files. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}

async function removeAll(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await removeScratch(folder)
}
