/** Whether the ledger file of a crawl directory is damaged. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CheckedFiles, damageError } from '../../files/index.js'
import { checkPages, type LedgerProblem, type LedgerState } from './pages/index.js'
import { hasLog, SqliteDatabase, translated } from './sqlite-database.js'
import { LEDGER_FILE } from './sqlite-ledger.js'

/** Reads the whole file, even if it was found sound before. */
export function checkLedger(directory: string): LedgerState {
  return checkPages(join(directory, LEDGER_FILE), LEDGER_FILE, (_expected, compare) => compare())
}

/** Null if the file is sound or has no checksums. A file that was found sound before is not read again. */
export function ledgerProblem(directory: string, checked: Pick<CheckedFiles, 'once'>): LedgerProblem | null {
  const path = join(directory, LEDGER_FILE)
  if (!existsSync(path)) return null
  const once = (expected: string, compare: () => LedgerProblem | null) =>
    checked.once(path, LEDGER_FILE, expected, compare)
  const state = checkPages(path, LEDGER_FILE, once)
  return state.at === 'damaged' ? state.problem : null
}

/** Throws a DamageError; for commands that rely on the ledger. */
export function refuseDamagedLedger(directory: string): void {
  const checked = new CheckedFiles(directory)
  const problem = ledgerProblem(directory, checked)
  checked.save()
  if (problem) throw damageError(directory, problem.file, problem.detail)
}

/**
 * SQLite's message about the first defect of the ledger's structure; null without one. Throws a LedgerError.
 */
export function ledgerIntegrity(path: string, original = path): string | null {
  const db = SqliteDatabase.openToRead(path, !hasLog(path), { original })
  try {
    const [found] = translated(original, () => db.first('PRAGMA integrity_check(1)'))!
    return found === 'ok' ? null : String(found).replaceAll(/\s+/g, ' ')
  } finally {
    db.close()
  }
}
