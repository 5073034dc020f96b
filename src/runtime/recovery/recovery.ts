/** Brings a crawl directory back to what the ledger committed, after whatever ended the last run. */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Holder, incarnationIn, locateFile, recover, storeEntries } from '../../data/store/index.js'
import { compareFile, damageError, type FileProblem } from '../../files/index.js'
import type { FileRow, Incarnation, Ledger } from '../../ledger/index.js'
import { LEDGER_FILE } from '../../ledger/sqlite/index.js'
import { holdsPages } from '../directory/index.js'

export interface RecoverySummary {
  /** Bytes that were written but never committed, and are cut off. */
  readonly cutBytes: number
  /** Committed bytes that the disk has lost; one line each. */
  readonly damaged: readonly string[]
}

/**
 * Throws a DamageError for a crawl with pages and without a ledger. SQLite would make a new ledger of a
 * missing or empty file, and recovery would then remove all that was fetched.
 */
export function checkLedgerFile(directory: string, path: string): void {
  if (existsSync(path) && statSync(path).size > 0) return
  if (holdsPages(directory))
    throw damageError(directory, LEDGER_FILE, `is ${existsSync(path) ? 'empty' : 'missing'}`)
}

/**
 * Throws a DamageError unless every listed file has its committed length, and every row log, which is about
 * to be merged, its digest. WARCs are not read: nothing is appended to those of earlier incarnations.
 */
export function refuseDamagedFiles(directory: string, files: readonly FileRow[]): void {
  const damaged = files.flatMap(file => {
    const problem = problemOf(directory, file)
    return problem ? [{ file: file.name, problem }] : []
  })
  if (damaged.length === 0) return
  const [{ file, problem }] = damaged
  const others = damaged.length === 1 ? '' : `, and ${damaged.length - 1} more are damaged`
  throw damageError(directory, file, problem.detail + others)
}

function problemOf(directory: string, file: FileRow): FileProblem | null {
  if (file.bytes === 0) return null
  const path = locateFile(directory, file.name) ?? join(directory, file.name)
  const isLog = file.kind === 'pages-log' || file.kind === 'links-log' || file.kind === 'items-log'
  return compareFile(path, isLog ? file : { ...file, crc32: null }, false)
}

/**
 * Cuts the files of every incarnation that is closed in the ledger. Those that are `alive` in this process
 * may still be closing their files and are left out. The caller has the directory's lock or the coordinator's
 * seat.
 */
export async function recoverDirectory(
  directory: string,
  crawl: string,
  ledger: Ledger,
  isAlive: (recovered: Incarnation) => boolean,
  holder: Holder,
): Promise<RecoverySummary> {
  // List the files before reading the ledger: an incarnation joins the ledger before it makes a file.
  const written = incarnationsIn(directory)
  const open = new Set((await ledger.agents()).map(({ incarnation }) => incarnation))
  const files = await ledger.files()
  for (const { incarnation } of files) written.add(incarnation)
  let cutBytes = 0
  const damaged: string[] = []
  for (const incarnation of [...written].sort((a, b) => a - b)) {
    if (open.has(incarnation) || isAlive(incarnation)) continue
    const recovered = settleIncarnation(directory, crawl, files, incarnation, holder)
    cutBytes += recovered.cutBytes
    damaged.push(...recovered.damaged)
  }
  return { cutBytes, damaged }
}

function incarnationsIn(directory: string): Set<Incarnation> {
  const owners = [...storeEntries(directory)].map(({ entry }) => incarnationIn(entry))
  return new Set(owners.filter(owner => owner !== null))
}

/** Recovers the files of one incarnation, which must be closed in the ledger, while others continue. */
export async function recoverIncarnation(
  directory: string,
  crawl: string,
  ledger: Ledger,
  incarnation: Incarnation,
  holder: Holder,
): Promise<RecoverySummary> {
  return settleIncarnation(directory, crawl, await ledger.files(), incarnation, holder)
}

function settleIncarnation(
  directory: string,
  crawl: string,
  files: readonly FileRow[],
  incarnation: Incarnation,
  holder: Holder,
): RecoverySummary {
  const committed = new Map(
    files.filter(file => file.incarnation === incarnation).map(file => [file.name, file.bytes]),
  )
  const result = settled(() => recover({ directory, owner: { crawl, incarnation }, committed, holder }))
  const cut = [...result.cut.map(file => file.cutBytes), ...result.removed.map(file => file.bytes)]
  return {
    cutBytes: cut.reduce((sum, bytes) => sum + bytes, 0),
    damaged: result.damaged.map(
      file => `${file.name}: ${file.bytes - file.foundBytes} committed bytes are gone`,
    ),
  }
}

/** Whether any incarnation has open files, or may still be closing them. */
export function hasOpenFiles(directory: string): boolean {
  return [...storeEntries(directory)].some(({ entry }) => entry.endsWith('.open'))
}

const MOST_TRIES = 5

/** Tries again when a file is gone: an incarnation that has just ended may be renaming its last files. */
function settled<T>(task: () => T): T {
  for (let tries = 1; ; tries++) {
    try {
      return task()
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOENT' || tries === MOST_TRIES) throw error
    }
  }
}

/**
 * Removes table files that the ledger does not list. They are left by an interrupted swap, and a reader of
 * *.parquet would count their rows twice. The caller makes sure that no swap is under way.
 */
export async function removeStrayTables(directory: string, ledger: Ledger): Promise<void> {
  const listed = new Set((await ledger.files()).map(({ name }) => name))
  for (const table of ['pages', 'links', 'items', 'sites']) {
    const folder = join(directory, 'tables', table)
    if (!existsSync(folder)) continue
    for (const entry of readdirSync(folder)) {
      if (entry.includes('.parquet') && !listed.has(`tables/${table}/${entry}`)) rmSync(join(folder, entry))
    }
  }
  const notes = join(directory, 'learned')
  for (const entry of existsSync(notes) ? readdirSync(notes) : [])
    if (/^(nets|hosts)-/.test(entry) && !listed.has(`learned/${entry}`)) rmSync(join(notes, entry))
}
