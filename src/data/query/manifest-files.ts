/**
 * The tables of a crawl as `tables/manifest.json` lists them. It is written at each merge and at the end, so
 * rows may have been committed since. In place of an unreadable ledger it is trusted only if it lists every
 * table file in the directory with its whole length: then nothing was written after it.
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { damageError, type ListedFile } from '../../files/index.js'
import { LEDGER_FILE } from '../../ledger/sqlite/index.js'
import { locateFile } from '../store/index.js'
import { MANIFEST, manifestFiles, readManifest } from '../store/tables/index.js'
import type { Listing } from './crawl-files.js'

/** Why the ledger was not read. `missing`: it should be in the directory. */
export type LedgerTrouble = 'in-database' | 'missing' | { readonly file: string; readonly detail: string }

const TABLES = ['pages', 'links', 'items', 'sites']

/** Throws a DamageError when the manifest cannot take the place of the ledger. */
export function fromManifest(dir: string, trouble: LedgerTrouble, note: (line: string) => void): Listing {
  const isInDatabase = trouble === 'in-database'
  const { file, detail } = typeof trouble === 'object' ? trouble : MISSING
  const result = readManifest(dir)
  if (!result.ok) {
    const isMissing = result.why === 'missing'
    if (isMissing && typeof trouble === 'string' && isUntouched(dir)) return { files: [], open: true }
    if (isMissing && isInDatabase && entriesOf(dir, '.parquet').length === 0) {
      note(`${MANIFEST} does not exist yet: committed rows are visible only after the first merge`)
      return { files: [], open: true }
    }
    if (!isInDatabase) throw damageError(dir, file, detail)
    throw damageError(dir, MANIFEST, isMissing ? 'is missing' : `is damaged: ${result.message}`)
  }
  const files = manifestFiles(result.manifest)
  if (!isInDatabase) {
    if (!namesAll(dir, files)) throw damageError(dir, file, detail)
    note(`${file} ${detail}: the answer comes from ${MANIFEST}, which names every table file`)
  }
  return { files, open: files.some(({ kind }) => kind.endsWith('-log')) }
}

const MISSING = { file: LEDGER_FILE, detail: 'is missing' }

/** A crawl that has just started and has no ledger yet. */
function isUntouched(dir: string): boolean {
  const archive = join(dir, 'archive')
  return entriesOf(dir, '').length === 0 && !(existsSync(archive) && readdirSync(archive).length > 0)
}

function namesAll(dir: string, files: readonly ListedFile[]): boolean {
  const names = new Set(files.map(({ name }) => name))
  const isWhole = ({ name, bytes }: ListedFile) => {
    const path = locateFile(dir, name)
    return path === null || statSync(path).size === bytes
  }
  return files.every(isWhole) && entriesOf(dir, '').every(name => names.has(name))
}

/** Table files in the directory, by the names they have or will have. */
function entriesOf(dir: string, ending: string): string[] {
  return TABLES.flatMap(table => {
    const folder = join(dir, 'tables', table)
    if (!existsSync(folder)) return []
    const names = readdirSync(folder).map(entry => entry.replace(/\.open$/, ''))
    return names
      .filter(entry => entry.endsWith(ending) && !entry.endsWith('.tmp'))
      .map(entry => `tables/${table}/${entry}`)
  })
}
