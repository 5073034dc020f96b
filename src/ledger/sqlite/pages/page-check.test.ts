/** The sums of the ledger's pages, while it is written, after a crash, and with other programs about. */
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { SeededRandom } from '../../../model/index.js'
import { checkLedger, openSqliteLedger } from '../index.js'
import { SqliteDatabase } from '../sqlite-database.js'
import { readPageSums } from './page-sums.js'
import { readWal } from './wal-file.js'

const folder = mkdtempSync(join(tmpdir(), 'orb-sums-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let directory: string
let path: string
let made = 0
beforeEach(() => {
  directory = join(folder, String(++made))
  mkdirSync(directory)
  path = join(directory, 'ledger.db')
})

const random = new SeededRandom(11)
const below = (bound: number) => Math.floor(random.next() * bound)

function write(db: SqliteDatabase, transactions: number, rows = 100): void {
  for (let i = 0; i < transactions; i++)
    db.transaction(() => {
      for (let row = 0; row < rows; row++)
        db.run('INSERT OR REPLACE INTO setting VALUES (?, ?)', `k${below(3_000)}`, 'v'.repeat(below(3_000)))
    })
}

/** What a kill -9 at this moment would leave. */
function killedCopy(parts = ['', '-wal', '-shm', '.sums']): string {
  const copy = join(folder, `killed-${++made}`)
  mkdirSync(copy)
  for (const part of parts)
    if (existsSync(path + part)) copyFileSync(path + part, join(copy, `ledger.db${part}`))
  return copy
}

function flip(file: string, bit: number): void {
  const bytes = readFileSync(file)
  bytes[bit >>> 3] ^= 1 << (bit & 7)
  writeFileSync(file, bytes)
}

it('are right after every transaction and every checkpoint, with an index or without', () => {
  const db = SqliteDatabase.open(path, { create: true })
  const seen = new Set<string>()
  for (let i = 0; i < 12; i++) {
    write(db, 1 + below(9))
    for (const parts of [undefined, ['', '-wal', '.sums']])
      expect(checkLedger(killedCopy(parts))).toEqual({ at: 'sound', isOpen: true })
    const wal = readWal(path)
    if (typeof wal === 'object') seen.add(wal.salts)
  }
  // SQLite began the log anew: there were checkpoints.
  expect(seen.size).toBeGreaterThan(1)
  db.close()
  expect(checkLedger(directory)).toEqual({ at: 'sound', isOpen: false })
})

it('name every flipped bit of the file and of the log, unless the page is in the log', () => {
  const db = SqliteDatabase.open(path, { create: true })
  write(db, 36, 200)
  const copy = killedCopy()
  const wal = readWal(path)
  if (typeof wal !== 'object') throw new Error('there is no log')
  const [file, log] = [join(copy, 'ledger.db'), join(copy, 'ledger.db-wal')]
  const committedBits = (32 + wal.frames * 4120) * 8
  for (let i = 0; i < 6; i++) {
    const bit = below(committedBits)
    flip(log, bit)
    expect(checkLedger(copy), `bit ${bit} of the log`).toMatchObject({
      at: 'damaged',
      problem: { file: 'ledger.db-wal' },
    })
    flip(log, bit)
  }
  let found = 0
  for (let i = 0; i < 12; i++) {
    const bit = below(readFileSync(file).length * 8)
    const page = Math.floor(bit / 8 / 4096) + 1
    flip(file, bit)
    const state = checkLedger(copy)
    if (wal.changed.has(page)) expect(state.at).toBe('sound')
    else
      expect(state, `page ${page}`).toMatchObject({
        at: 'damaged',
        problem: { file: 'ledger.db', pages: [page] },
      })
    if (state.at === 'damaged') found++
    flip(file, bit)
  }
  expect(found).toBeGreaterThan(0)
  expect(checkLedger(copy).at).toBe('sound')
  db.close()
})

it('name a log that is cut, emptied or gone, and a ledger that is cut', () => {
  const db = SqliteDatabase.open(path, { create: true })
  write(db, 36, 200)
  const damage = (spoil: (copy: string) => void) => {
    const copy = killedCopy()
    spoil(copy)
    const state = checkLedger(copy)
    return state.at === 'damaged' ? `${state.problem.file} ${state.problem.detail}` : state.at
  }
  const wal = readWal(path)
  if (typeof wal !== 'object') throw new Error('there is no log')
  const end = 32 + wal.frames * 4120
  const cut = (name: string, bytes: number) => (copy: string) =>
    writeFileSync(join(copy, name), readFileSync(join(copy, name)).subarray(0, bytes))
  expect(damage(cut('ledger.db-wal', end - 1))).toMatch(/^ledger.db-wal is damaged: frame \d+ is not valid/)
  expect(damage(cut('ledger.db-wal', 0))).toBe('ledger.db-wal is empty')
  expect(damage(copy => rmSync(join(copy, 'ledger.db-wal')))).toBe('ledger.db-wal is missing')
  db.close()
  const bytes = readFileSync(path).length
  const closed = killedCopy(['', '.sums'])
  cut('ledger.db', bytes - 1)(closed)
  expect(checkLedger(closed)).toMatchObject({ at: 'damaged', problem: { what: 'short' } })
})

const OTHER = `const db = new (require('libsql'))(process.argv[1]); db.exec("INSERT OR REPLACE INTO setting VALUES ('theirs', '1')"); db.close()`
const READER = `const db = new (require('libsql'))(process.argv[1]); db.prepare('SELECT * FROM crawl').all(); db.close()`

it('are unknown, not wrong, after another program has moved the log of a killed crawl into the ledger', () => {
  const db = SqliteDatabase.open(path, { create: true })
  write(db, 2)
  directory = killedCopy()
  path = join(directory, 'ledger.db')
  execFileSync(process.execPath, ['-e', READER, path])
  expect(readdirSync(directory)).not.toContain('ledger.db-wal')
  expect(checkLedger(directory)).toEqual({ at: 'unknown', why: 'closed elsewhere' })
  const next = SqliteDatabase.open(path, { create: false })
  write(next, 1)
  expect(checkLedger(directory)).toEqual({ at: 'sound', isOpen: true })
  next.close()
  db.close()
})

it('accuse nobody who writes beside us, and a change without sums is told as one of another program', () => {
  const db = SqliteDatabase.open(path, { create: true })
  write(db, 2)
  execFileSync(process.execPath, ['-e', OTHER, path])
  expect(checkLedger(directory)).toEqual({ at: 'sound', isOpen: true })
  db.close()
  const closed = killedCopy(['', '.sums'])
  execFileSync(process.execPath, ['-e', OTHER, join(closed, 'ledger.db')])
  const state = checkLedger(closed)
  expect(state).toMatchObject({
    at: 'damaged',
    problem: { detail: expect.stringContaining('or another program wrote to it') },
  })
})

it.each(['before', 'after'])('stay open for a crawl when a command that wrote %s it began closes', when => {
  SqliteDatabase.open(path, { create: true }).close()
  const order = when === 'before' ? [false, true] : [true, false]
  const opened = order.map(isCrawling => {
    const db = SqliteDatabase.open(path, { create: false, isCrawling })
    write(db, 1, 1)
    return db
  })
  const [command, crawl] = when === 'before' ? opened : opened.reverse()
  command.close()
  expect(checkLedger(directory)).toEqual({ at: 'sound', isOpen: true })
  crawl.close()
  expect(checkLedger(directory)).toEqual({ at: 'sound', isOpen: false })
})

it('of a ledger without any are made by the next writer', () => {
  const db = SqliteDatabase.open(path, { create: true })
  write(db, 5)
  db.close()
  rmSync(`${path}.sums`)
  expect(checkLedger(directory)).toEqual({ at: 'unknown', why: 'no sums' })
  const next = SqliteDatabase.open(path, { create: false })
  write(next, 1)
  expect(checkLedger(directory).at).toBe('sound')
  next.close()
})

it('are dropped for a ledger that leaves WAL mode, where pages change without a log', () => {
  const db = SqliteDatabase.open(path, { create: true })
  write(db, 5)
  expect(readPageSums(path)).not.toBe('none')
  db.all('PRAGMA journal_mode = DELETE')
  db.close()
  expect(readPageSums(path)).toBe('none')
})

it('are kept for the log of a killed process by one that only opens and closes the ledger', async () => {
  const db = SqliteDatabase.open(path, { create: true })
  write(db, 2)
  directory = killedCopy()
  path = join(directory, 'ledger.db')
  const open = `import { openSqliteLedger } from '${new URL('../sqlite-ledger.ts', import.meta.url)}'
    await openSqliteLedger(${JSON.stringify(path)}, { create: false, now: () => 0 }).close()`
  execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', open])
  expect(checkLedger(directory)).toEqual({ at: 'sound', isOpen: true })
  db.close()
})

it('a ledger that is open here keeps its log when it was checked and another process closes it', async () => {
  const ledger = openSqliteLedger(path, { create: true, now: () => 0 })
  await ledger.set({ a: '1' })
  expect(checkLedger(directory).at).toBe('sound')
  execFileSync(process.execPath, ['-e', READER, path])
  expect(existsSync(`${path}-wal`)).toBe(true)
  await ledger.set({ b: '2' })
  const other = openSqliteLedger(path, { create: false, now: () => 0 })
  expect(await other.settings()).toMatchObject({ a: '1', b: '2' })
  await other.close()
  await ledger.close()
})
