/** Brings a crawl directory back to what the ledger committed, after whatever ended the last run. */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type FileRow, type Incarnation, type Ledger, LedgerError } from '../cluster/index.js'
import { type Holder, recover } from '../store/index.js'
import { holdsPages } from './crawl-directory.js'

export interface RecoverySummary {
  /** Bytes written but never committed, cut off. */
  readonly cutBytes: number
  /** Committed bytes that the disk has lost; one line each. */
  readonly damaged: readonly string[]
}

/**
 * SQLite takes a file of no bytes, or none, for a new ledger; to a new one all that was fetched would be stray and removed.
 */
export function checkLedgerFile(directory: string, path: string): void {
  if (existsSync(path) && statSync(path).size > 0) return
  if (holdsPages(directory))
    throw new LedgerError(
      'corrupt',
      `the ledger ${path} is ${existsSync(path) ? 'empty' : 'gone'}; restore it from a backup, the archive beside it is intact`,
    )
}

/** Must run under the directory lock, after all lives were closed in the ledger; one that was begun since is left alone. */
export async function recoverDirectory(
  directory: string,
  crawl: string,
  ledger: Ledger,
  lives: Incarnation,
  holder: Holder,
): Promise<RecoverySummary> {
  const files = await ledger.files()
  let cutBytes = 0
  const damaged: string[] = []
  const open = new Set((await ledger.agents()).map(({ incarnation }) => incarnation))
  for (let incarnation = 1; incarnation <= lives; incarnation++) {
    if (open.has(incarnation)) continue
    const life = settleLife(directory, crawl, files, incarnation, holder)
    cutBytes += life.cutBytes
    damaged.push(...life.damaged)
  }
  removeStrayTables(directory, new Set(files.map(file => file.name)))
  return { cutBytes, damaged }
}

/** The same for one life, while others go on; it must be closed in the ledger. */
export async function recoverLife(
  directory: string,
  crawl: string,
  ledger: Ledger,
  incarnation: Incarnation,
  holder: Holder,
): Promise<RecoverySummary> {
  return settleLife(directory, crawl, await ledger.files(), incarnation, holder)
}

function settleLife(
  directory: string,
  crawl: string,
  files: readonly FileRow[],
  incarnation: Incarnation,
  holder: Holder,
): RecoverySummary {
  const committed = new Map(
    files.filter(file => file.incarnation === incarnation).map(file => [file.name, file.bytes]),
  )
  const result = recover({ directory, owner: { crawl, incarnation }, committed, holder })
  const cut = [...result.cut.map(file => file.cutBytes), ...result.removed.map(file => file.bytes)]
  return {
    cutBytes: cut.reduce((sum, bytes) => sum + bytes, 0),
    damaged: result.damaged.map(
      file => `${file.name}: ${file.bytes - file.foundBytes} committed bytes are gone`,
    ),
  }
}

/** A table file that the ledger does not list is half of a swap: left there, a reader of *.parquet would count twice. */
function removeStrayTables(directory: string, listed: ReadonlySet<string>): void {
  for (const table of ['pages', 'links', 'sites']) {
    const folder = join(directory, 'tables', table)
    if (!existsSync(folder)) continue
    for (const entry of readdirSync(folder)) {
      if (entry.includes('.parquet') && !listed.has(`tables/${table}/${entry}`)) rmSync(join(folder, entry))
    }
  }
}
