/**
 * Repairs a damaged SQLite ledger. What can still be read cannot be trusted: a flipped bit changes a journal.
 * One flipped bit in a page or a log frame, the most common damage, is found by its checksum and corrected.
 * After any other damage the crawl can be read but not resumed.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { copyKept, OPEN, syncDirectory } from '../files/index.js'
import { LEDGER_FILE, ledgerIntegrity } from '../ledger/sqlite/index.js'
import {
  checkPages,
  databasePage,
  flippedWalBit,
  type LedgerProblem,
  pageSumsPath,
  readPageSums,
  renewPageSums,
  sumOf,
  walPath,
} from '../ledger/sqlite/pages/index.js'
import type { Damage } from './damage.js'
import { flippedBit } from './flipped-bit.js'
import type { Quarantine } from './quarantine.js'

/** `restored`: bits were corrected. `sound`: only the checksums were damaged. `lost`: not repairable. */
export type RepairedLedger = 'restored' | 'sound' | 'lost'

/** The ledger is checked again after each. */
const REPAIRS_MAX = 10
const PARTS = ['', '-wal', '-shm', '.sums'] as const

export function repairLedger(
  directory: string,
  damage: Damage,
  quarantine: Quarantine,
  isDry: boolean,
): RepairedLedger {
  const path = join(directory, LEDGER_FILE)
  if (damage.file === pageSumsPath(LEDGER_FILE) && isSound(path)) {
    if (isDry) return 'sound'
    quarantine.keep(damage.file, damage.detail)
    renewPageSums(path)
    return 'sound'
  }
  if (damage.what !== 'missing' && restore(path, quarantine, isDry)) return 'restored'
  if (!isDry) setAside(directory, damage, quarantine)
  return 'lost'
}

function isSound(path: string): boolean {
  try {
    return ledgerIntegrity(path) === null
  } catch {
    return false
  }
}

/** Works on a copy, which replaces the ledger only if it is sound as a whole. */
function restore(path: string, quarantine: Quarantine, isDry: boolean): boolean {
  const draft = `${path}.repaired`
  const removeDraft = () => {
    for (const part of PARTS) rmSync(draft + part, { force: true })
  }
  removeDraft()
  try {
    for (const part of PARTS) if (existsSync(path + part)) copyPart(path + part, draft + part)
    const restored = restoreCopy(draft)
    if (restored.size === 0 || !isSound(draft)) return false
    if (!isDry) for (const part of restored) putBack(path, draft, part, quarantine)
    return true
  } finally {
    removeDraft()
  }
}

function copyPart(path: string, copy: string): void {
  // SQLite locks the other parts.
  if (/(?:-wal|\.sums)$/.test(path)) copyFileSync(path, copy)
  else copyKept(path, copy)
}

type Part = '' | '-wal'

/** Returns the changed parts; none if the copy could not be repaired. */
function restoreCopy(draft: string): ReadonlySet<Part> {
  const changed = new Set<Part>()
  for (let repairs = 0; repairs <= REPAIRS_MAX; repairs++) {
    const state = checkPages(draft, LEDGER_FILE, (_expected, compare) => compare())
    if (state.at === 'sound') return changed
    if (state.at === 'unknown') break
    const part = restorePart(draft, state.problem)
    if (part === null) break
    changed.add(part)
  }
  return new Set()
}

function restorePart(draft: string, { file, pages = [] }: LedgerProblem): Part | null {
  if (file === walPath(LEDGER_FILE)) {
    const bit = flippedWalBit(draft)
    if (bit === null) return null
    flip(walPath(draft), bit)
    return '-wal'
  }
  const sums = readPageSums(draft)
  if (typeof sums !== 'object' || pages.length === 0) return null
  for (const page of pages) {
    const difference = crc32(databasePage(draft, sums.pageBytes, page)) ^ sumOf(sums, page)
    const bit = flippedBit(difference, sums.pageBytes)
    if (bit === null) return null
    flip(draft, (page - 1) * sums.pageBytes * 8 + bit)
  }
  return ''
}

function flip(path: string, bit: number): void {
  const at = Math.floor(bit / 8)
  const file = openSync(path, OPEN.change)
  try {
    const byte = Buffer.alloc(1)
    readSync(file, byte, 0, 1, at)
    byte[0] ^= 1 << (bit % 8)
    writeSync(file, byte, 0, 1, at)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Keeps the old file first; the rename is atomic. */
function putBack(path: string, draft: string, part: Part, quarantine: Quarantine): void {
  quarantine.keep(LEDGER_FILE + part, 'had a flipped bit')
  renameSync(draft + part, path + part)
  syncDirectory(dirname(path))
}

/** Without a ledger `query` and `export` go by the manifest of the tables. */
function setAside(directory: string, damage: Damage, quarantine: Quarantine): void {
  for (const part of PARTS) {
    quarantine.keep(LEDGER_FILE + part, damage.detail)
    rmSync(join(directory, LEDGER_FILE + part), { force: true })
  }
}
