/** Checks the ledger file and the journals in it. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../compose/index.js'
import { type Ledger, LedgerError } from '../ledger/index.js'
import { checkLedger, copyIntegrity, LEDGER_FILE, ledgerIntegrity } from '../ledger/sqlite/index.js'
import { readJournal } from '../page/frontier/index.js'
import type { Damage } from './damage.js'
import { LEDGER_BATCH_BYTES } from './limits.js'

/**
 * `clean`: as its last writer left it. `open`: every page is sound, but a writer is at work or was killed.
 * `unknown`: there are no checksums of its pages.
 */
export type LedgerState =
  | { readonly at: 'clean' | 'open' }
  | { readonly at: 'unknown'; readonly why: string }
  | { readonly at: 'damaged'; readonly damage: Damage }

const WHY = {
  'no sums': 'nothing is known of its pages until the next resume',
  'closed elsewhere': 'another program has opened it since; its pages are known again after the next resume',
} as const

/**
 * `isForeign`: no file may be written beside the ledger, although SQLite does that even to read it; so a copy
 * is checked.
 */
export function checkLedgerFile(directory: string, isForeign: boolean): LedgerState {
  const path = join(directory, LEDGER_FILE)
  const damaged = (what: Damage['what'], detail: string, file = LEDGER_FILE): LedgerState => ({
    at: 'damaged',
    damage: { file, kind: 'ledger', what, detail },
  })
  if (!existsSync(path)) return damaged('missing', 'is missing')
  const state = checkLedger(directory)
  if (state.at === 'damaged') return damaged(state.problem.what, state.problem.detail, state.problem.file)
  if (state.at === 'sound') return { at: state.isOpen ? 'open' : 'clean' }
  try {
    const wrong = isForeign ? copyIntegrity(path) : ledgerIntegrity(path)
    return wrong === null
      ? { at: 'unknown', why: WHY[state.why] }
      : damaged('unreadable', `is damaged: ${wrong}`)
  } catch (error) {
    if (!(error instanceof LedgerError) || error.kind !== 'corrupt') throw error
    return damaged('unreadable', 'is damaged: SQLite cannot read it')
  }
}

const NOTHING = { discovered() {} }

/** Cells are rebuilt from journals, so every journal must be readable to its end. */
export async function* checkJournals(ledger: Ledger): AsyncGenerator<Damage> {
  for (let after = { cell: '', number: 0 }; ; ) {
    const batch = await ledger.readJournals(after, LEDGER_BATCH_BYTES)
    await new Promise<void>(resolve => systemClock.soon(resolve))
    if (batch.length === 0) return
    for (const { cell, number, journal } of batch) {
      const detail = `holds a journal that cannot be read: pack ${number} of ${cell}`
      if (!isReadable(journal)) yield { file: LEDGER_FILE, kind: 'ledger', what: 'unreadable', detail }
    }
    const { cell, number } = batch[batch.length - 1]
    after = { cell, number }
  }
}

function isReadable(journal: Uint8Array): boolean {
  try {
    readJournal(journal, NOTHING)
    return true
  } catch {
    return false
  }
}
