/**
 * A ledger in a directory that must not be written: SQLite creates files beside a ledger even to read it, so
 * a copy in the temporary folder is opened instead.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { copyKept } from '../../files/index.js'
import type { Millis } from '../../model/index.js'
import { type Ledger, LedgerError } from '../index.js'
import { ledgerIntegrity } from './ledger-check.js'
import { openSqliteLedger } from './sqlite-ledger.js'

/** The last commits may still be in the log beside the ledger. */
const PARTS = ['', '-wal'] as const
const MOST_TRIES = 5

/** `close` closes the ledger and removes the copy. */
export interface LedgerCopy {
  readonly ledger: Ledger
  close(): Promise<void>
}

export function openLedgerCopy(path: string, now: () => Millis): LedgerCopy {
  const { copy, remove } = copyLedger(path)
  try {
    const ledger = openSqliteLedger(copy, { create: false, now, original: path })
    return { ledger, close: () => ledger.close().finally(remove) }
  } catch (error) {
    remove()
    throw error
  }
}

/** `ledgerIntegrity` of a copy. */
export function copyIntegrity(path: string): string | null {
  const { copy, remove } = copyLedger(path)
  try {
    return ledgerIntegrity(copy, path)
  } finally {
    remove()
  }
}

function copyLedger(path: string): { readonly copy: string; readonly remove: () => void } {
  if (versionOf(path) === ABSENT) throw new LedgerError('missing', `there is no crawl ledger at ${path}`)
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-ledger-'))
  const remove = () => {
    process.off('exit', remove)
    rmSync(folder, { recursive: true, force: true })
  }
  process.on('exit', remove)
  try {
    const copy = join(folder, basename(path))
    copyAll(path, copy)
    return { copy, remove }
  } catch (error) {
    remove()
    throw error
  }
}

export async function withLedgerCopy<T>(
  path: string,
  now: () => Millis,
  task: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  const { ledger, close } = openLedgerCopy(path, now)
  return task(ledger).finally(close)
}

/** Repeats the copy if the ledger was written meanwhile: the parts would not belong together. */
function copyAll(path: string, copy: string): void {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const before = PARTS.map(part => versionOf(path + part))
    for (const [i, part] of PARTS.entries()) {
      rmSync(copy + part, { force: true })
      if (before[i] !== ABSENT) copyKept(path + part, copy + part)
    }
    if (PARTS.every((part, i) => versionOf(path + part) === before[i])) return
  }
  throw new LedgerError(
    'busy',
    `the ledger ${path} keeps changing while it is read: a crawl is running there`,
  )
}

const ABSENT = 'absent'

function versionOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats ? `${stats.size} ${stats.mtimeMs}` : ABSENT
}
