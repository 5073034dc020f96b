/** Flipped bits in the ledger of a crawl that was killed are put back. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Ledger } from '../ledger/index.js'
import { checkLedger, openSqliteLedger } from '../ledger/sqlite/index.js'
import { checkLedgerFile } from './ledger.js'
import { Quarantine } from './quarantine.js'
import { repairLedger } from './repair-ledger.js'

const folder = mkdtempSync(join(tmpdir(), 'orb-repair-'))
const live = join(folder, 'live')
const PARTS = ['', '-wal', '-shm', '.sums']
let ledger: Ledger
let copies = 0

beforeAll(async () => {
  const first = join(folder, 'first')
  for (const made of [first, live]) mkdirSync(made)
  const closed = openSqliteLedger(join(first, 'ledger.db'), { create: true, now: () => 0 })
  await closed.set({ a: 'x'.repeat(50_000) })
  await closed.close()
  // A copy without its log, so that there are pages that are only in the file.
  for (const part of ['', '.sums'])
    copyFileSync(join(first, `ledger.db${part}`), join(live, `ledger.db${part}`))
  ledger = openSqliteLedger(join(live, 'ledger.db'), { create: false, now: () => 0 })
  await ledger.set({ b: 'y' })
})
afterAll(async () => {
  await ledger.close()
  rmSync(folder, { recursive: true, force: true })
})

function killedCopy(): string {
  const copy = join(folder, String(++copies))
  mkdirSync(copy)
  for (const part of PARTS) copyFileSync(join(live, `ledger.db${part}`), join(copy, `ledger.db${part}`))
  return copy
}

function flip(path: string, ...bytes: readonly number[]): void {
  const content = readFileSync(path)
  for (const at of bytes) content[at] ^= 16
  writeFileSync(path, content)
}

function repair(directory: string) {
  const state = checkLedgerFile(directory, false)
  if (state.at !== 'damaged') throw new Error(`it is ${state.at}`)
  return repairLedger(directory, state.damage, new Quarantine(directory, 0), false)
}

/** Where the text of `a` begins, and a byte of each part that has an effect. */
const TEXT = 'x'.repeat(3_000)

it.each([
  ['ledger.db', (bytes: Buffer) => [bytes.indexOf(TEXT) + 100]],
  ['ledger.db, in two pages', (bytes: Buffer) => [bytes.indexOf(TEXT), bytes.lastIndexOf(TEXT) + 2_000]],
  ['ledger.db-wal', () => [33]],
  ['ledger.db-wal, in its header', () => [17]],
  ['ledger.db-wal, in a page', (bytes: Buffer) => [bytes.length - 2_000]],
])('a bit of %s', (label, places) => {
  const directory = killedCopy()
  const [name] = label.split(',')
  const path = join(directory, name)
  const before = readFileSync(path)
  flip(path, ...places(before))
  expect(repair(directory)).toBe('restored')
  expect(readFileSync(path)).toEqual(before)
  expect(checkLedger(directory)).toEqual({ at: 'sound', isOpen: true })
})

it('its sums are written anew when only they are damaged', () => {
  const directory = killedCopy()
  flip(join(directory, 'ledger.db.sums'), 40)
  expect(repair(directory)).toBe('sound')
  expect(checkLedger(directory).at).toBe('sound')
})

it('a ledger with more damage is set aside with its log and its sums', () => {
  const directory = killedCopy()
  const path = join(directory, 'ledger.db')
  const at = readFileSync(path).indexOf(TEXT)
  flip(path, at, at + 7, at + 900)
  expect(repair(directory)).toBe('lost')
  for (const part of PARTS) expect(existsSync(path + part)).toBe(false)
})
