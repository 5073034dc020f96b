/** Whether the ledger file of a crawl directory is as its last writer left it. */
import { join } from 'node:path'
import { CheckedFiles, damageError, type FileProblem } from '../store/index.js'
import { ledgerDigestPath, readLedgerDigest } from './ledger-digest.js'
import { SqliteDatabase, translated } from './sqlite-database.js'
import { LEDGER_FILE } from './sqlite-ledger.js'

/** A digest that is replaced while the ledger is read is of another ledger: look again. */
const TRIES = 3

export type LedgerProblem = FileProblem & { readonly file: string }

/** Null when it is sound, or when nothing is known of it. */
export function ledgerProblem(directory: string, checked: Pick<CheckedFiles, 'check'>): LedgerProblem | null {
  const path = join(directory, LEDGER_FILE)
  for (let tries = 1; ; tries++) {
    const digest = readLedgerDigest(path)
    if (digest === 'none') return null
    if (digest === 'damaged') {
      const file = ledgerDigestPath(LEDGER_FILE)
      return { file, what: 'altered', detail: 'is damaged: its own checksum differs' }
    }
    const { bytes, crc32 } = digest
    const problem = checked.check(path, { name: LEDGER_FILE, kind: 'ledger', bytes, crc32 })
    if (problem === null) return null
    const again = readLedgerDigest(path)
    const isSame = typeof again === 'object' && again.crc32 === crc32 && again.bytes === bytes
    if (isSame || tries === TRIES) return { file: LEDGER_FILE, ...problem }
  }
}

/** Throws a DamageError: for commands that go by what the ledger says. */
export function refuseDamagedLedger(directory: string): void {
  const checked = new CheckedFiles(directory)
  const problem = ledgerProblem(directory, checked)
  checked.save()
  if (problem) throw damageError(directory, problem.file, problem.detail)
}

/**
 * What SQLite finds wrong with the structure of the ledger, in its own words; null when nothing. Throws a
 * LedgerError.
 */
export function ledgerIntegrity(path: string, original = path): string | null {
  const db = SqliteDatabase.open(path, false, original)
  try {
    const [found] = translated(original, () => db.first('PRAGMA integrity_check(1)'))!
    return found === 'ok' ? null : String(found).replaceAll(/\s+/g, ' ')
  } finally {
    db.close()
  }
}
