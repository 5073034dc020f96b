/** What a resume checks before it changes anything: that directory and ledger belong together. */
import { join } from 'node:path'
import type { CrawlConfig } from '../../config/index.js'
import { ledgerGenerations, PairError, pairError, pairRelation } from '../../data/store/index.js'
import { DamageError } from '../../files/index.js'
import { type Ledger, LedgerError } from '../../ledger/index.js'
import { LEDGER_FILE } from '../../ledger/sqlite/index.js'
import { shellWord } from '../../model/index.js'
import { holdsPages, ledgerNameOf } from '../directory/index.js'
import type { Ledgers } from '../platform/index.js'
import { checkLedgerFile } from './recovery.js'
import { type MissingBytes, surveyStore } from './store-survey.js'

/**
 * `restored`: the ledger comes from a backup and may be older than the directory. Files that it does not list
 * are moved away later, and `checkCommitted` is called after that.
 */
export async function checkForResume(
  ledgers: Ledgers,
  directory: string,
  config: CrawlConfig,
  restored: boolean,
): Promise<void> {
  if (config.ledger === undefined) checkLedgerFile(directory, join(directory, LEDGER_FILE))
  const ledger = await openIfThere(ledgers, directory, config)
  if (ledger === null) return
  try {
    await checkRelation(directory, ledger, config, restored)
    if (!restored) await proveFiles(directory, ledger, config)
  } finally {
    await ledger.close()
  }
}

/**
 * Throws a PairError unless the generations match. Called again after the seat is taken: another process may
 * have held the seat in between.
 */
export async function checkRelation(
  directory: string,
  ledger: Ledger,
  config: CrawlConfig,
  restored: boolean,
): Promise<void> {
  const settings = () => ledger.settings()
  const relation = await pairRelation(directory, settings)
  if (relation === 'same' || (restored && relation === 'ledger-older')) return
  // A ledger without generations is new; with a directory that holds no page, nothing can be lost.
  if (ledgerGenerations(await settings()).length === 0 && !holdsPages(directory)) return
  throw pairError(relation, directory, ledgerNameOf(directory, config))
}

/** Null if there is no ledger: the session then creates it or reports that it is missing. */
async function openIfThere(ledgers: Ledgers, directory: string, config: CrawlConfig): Promise<Ledger | null> {
  try {
    return await ledgers.openUnchecked(directory, config, 'read', 'read')
  } catch (error) {
    if (error instanceof LedgerError && error.kind === 'missing') return null
    throw error
  }
}

async function proveFiles(directory: string, ledger: Ledger, config: CrawlConfig): Promise<void> {
  const name = ledgerNameOf(directory, config)
  const { ahead, missing } = await surveyStore(directory, ledger, config.maxBody)
  if (ahead !== null)
    throw new PairError(
      `${name} is older than ${directory}: ${ahead}; restore both from one backup, or continue from the older ledger with ` +
        '"orbweaver resume … --restored"; nothing was changed',
    )
  if (missing.length > 0) throw damageError(directory, name, missing)
}

/** Throws a DamageError when committed bytes are gone. */
export async function checkCommitted(directory: string, ledger: Ledger, config: CrawlConfig): Promise<void> {
  const { missing } = await surveyStore(directory, ledger, config.maxBody)
  if (missing.length > 0) throw damageError(directory, ledgerNameOf(directory, config), missing)
}

function damageError(directory: string, name: string, missing: readonly MissingBytes[]): DamageError {
  const [first] = missing
  const others = missing.length === 1 ? '' : `, and some of ${missing.length - 1} more files`
  return new DamageError(
    first.name,
    `${directory} is damaged, or older than ${name}: ${first.bytes} committed bytes of ${first.name} are gone${others}; ` +
      `restore both from one backup, or repair it with "orbweaver repair ${shellWord(directory)}"`,
  )
}
