/** Brings a crawl directory back to what the ledger committed, after whatever ended the last run. */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Holder, incarnationIn, locateFile, recover, STORE_FOLDERS } from '../data/store/index.js'
import { compareFile, damageError, type FileProblem } from '../files/index.js'
import type { FileRow, Incarnation, Ledger } from '../ledger/index.js'
import { LEDGER_FILE } from '../ledger/sqlite/index.js'
import { holdsPages } from './crawl-directory.js'

export interface RecoverySummary {
  /** Bytes written but never committed, cut off. */
  readonly cutBytes: number
  /** Committed bytes that the disk has lost; one line each. */
  readonly damaged: readonly string[]
}

/**
 * SQLite takes a file of no bytes, or none, for a new ledger; to a new one all that was fetched would be
 * stray and removed.
 */
export function checkLedgerFile(directory: string, path: string): void {
  if (existsSync(path) && statSync(path).size > 0) return
  if (holdsPages(directory))
    throw damageError(directory, LEDGER_FILE, `is ${existsSync(path) ? 'empty' : 'missing'}`)
}

/**
 * Before anything is changed: every listed file must have its committed length, and row logs, which are about
 * to be merged, their digest. Throws a DamageError. WARCs are not read: nothing is appended to those of
 * earlier lives.
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
  const isLog = file.kind === 'pages-log' || file.kind === 'links-log'
  return compareFile(path, isLog ? file : { ...file, crc32: null }, false)
}

/**
 * Settles the files of every incarnation that is closed in the ledger, whoever closed it; not of those that
 * are `alive`: they may still be closing their files. Under the directory's lock, or the coordinator's seat.
 */
export async function recoverDirectory(
  directory: string,
  crawl: string,
  ledger: Ledger,
  isAlive: (recovered: Incarnation) => boolean,
  holder: Holder,
): Promise<RecoverySummary> {
  // In this order: whoever has a file by now began its incarnation before.
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
  const incarnations = new Set<Incarnation>()
  for (const folder of STORE_FOLDERS) {
    const path = join(directory, folder)
    for (const entry of existsSync(path) ? readdirSync(path) : []) {
      const recovered = incarnationIn(entry)
      if (recovered !== null) incarnations.add(recovered)
    }
  }
  return incarnations
}

/** The same for one incarnation, while others go on; it must be closed in the ledger. */
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

/** Whether anybody may still be closing files; those of the living are open too. */
export function hasOpenFiles(directory: string): boolean {
  return STORE_FOLDERS.some(folder => {
    const path = join(directory, folder)
    return existsSync(path) && readdirSync(path).some(entry => entry.endsWith('.open'))
  })
}

const MOST_TRIES = 5

/**
 * An incarnation that has just left may give its last files their names meanwhile: what is gone is there
 * under its name.
 */
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
 * A table file that the ledger does not list is half of a swap: left there, a reader of *.parquet would count
 * twice. Only where nobody is about to list it.
 */
export async function removeStrayTables(directory: string, ledger: Ledger): Promise<void> {
  const listed = new Set((await ledger.files()).map(({ name }) => name))
  for (const table of ['pages', 'links', 'sites']) {
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
