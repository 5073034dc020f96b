/**
 * Our reader of the log against SQLite itself: both must find the same end, whatever happened to the file.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, expect, it } from 'vitest'
import { SeededRandom } from '../../../model/index.js'
import { flippedWalBit, readWal, walFrames, walPath } from './wal-file.js'
import { lastFrames, readWalIndex } from './wal-index.js'

const folder = mkdtempSync(join(tmpdir(), 'orb-wal-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

class WrittenLog {
  readonly path = join(folder, `${++files}.db`)
  readonly #db: Database.Database
  readonly #below: (bound: number) => number

  constructor(seed: number, pageBytes: number) {
    const random = new SeededRandom(seed)
    this.#below = bound => Math.floor(random.next() * bound)
    this.#db = new Database(this.path)
    for (const set of [`page_size = ${pageBytes}`, 'journal_mode = WAL', 'wal_autocheckpoint = 0'])
      this.#db.pragma(set)
    // A small cache: transactions reach the log before they are committed, and some are taken back.
    this.#db.pragma('cache_size = 10')
    this.#db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)')
  }

  write(transactions: number): void {
    for (let i = 0; i < transactions; i++) {
      this.#db.exec('BEGIN')
      for (let row = this.#below(i % 5 === 0 ? 80 : 5); row >= 0; row--) this.#writeRow()
      this.#db.exec(this.#below(4) === 0 ? 'ROLLBACK' : 'COMMIT')
    }
  }

  #writeRow(): void {
    const id = this.#below(300)
    this.#db.exec(`INSERT OR REPLACE INTO t VALUES (${id}, '${'x'.repeat(this.#below(2_000))}')`)
  }

  checkpoint(): void {
    this.#db.exec('PRAGMA wal_checkpoint(PASSIVE)')
  }

  close(): void {
    this.#db.close()
  }
}

let files = 0

/** How many frames SQLite recovers from these files, and how many pages the database then has. */
function recovered(path: string, wal: Buffer): { readonly frames: number; readonly pages: number } {
  const copy = join(folder, `copy-${++files}.db`)
  copyFileSync(path, copy)
  writeFileSync(walPath(copy), wal)
  const db = new Database(copy)
  try {
    const [pages] = db.prepare('PRAGMA page_count').raw().get() as number[]
    const [, frames] = db.prepare('PRAGMA wal_checkpoint(PASSIVE)').raw().get() as number[]
    return { frames, pages }
  } finally {
    db.close()
  }
}

function expectSame(path: string, wal: Buffer, label: string): void {
  const copy = join(folder, 'read.db')
  writeFileSync(walPath(copy), wal)
  const ours = readWal(copy)
  const theirs = recovered(path, wal)
  if (typeof ours === 'string') expect(theirs.frames, label).toBe(0)
  else {
    expect(ours.frames, label).toBe(theirs.frames)
    if (ours.frames > 0) expect(ours.pages, label).toBe(theirs.pages)
  }
}

it.each([512, 4096, 65_536])('finds the end that SQLite finds, with pages of %i bytes', pageBytes => {
  const log = new WrittenLog(pageBytes, pageBytes)
  log.write(30)
  const random = new SeededRandom(7)
  const below = (bound: number) => Math.floor(random.next() * bound)
  for (let round = 0; round < 2; round++) {
    const wal = readFileSync(walPath(log.path))
    expectSame(log.path, wal, 'whole')
    expect(readWalIndex(log.path)).toMatchObject({ frames: recovered(log.path, wal).frames })
    for (let i = 0; i < 8; i++) {
      const cut = below(wal.length)
      expectSame(log.path, wal.subarray(0, cut), `cut to ${cut}`)
      const bit = below((i < 3 ? 32 : wal.length) * 8)
      const flipped = Buffer.from(wal)
      flipped[bit >>> 3] ^= 1 << (bit & 7)
      expectSame(log.path, flipped, `bit ${bit}`)
    }
    log.checkpoint()
    log.write(20)
  }
  log.close()
})

it('gives the pages that a checkpoint puts into the database', () => {
  const log = new WrittenLog(3, 4096)
  // More than two blocks of the index.
  for (let i = 0; i < 60 && readWalIndex(log.path)!.frames < 9_000; i++) log.write(100)
  const { frames } = readWalIndex(log.path)!
  expect(frames).toBeGreaterThan(9_000)
  const last = new Map<number, Buffer>()
  for (const { page, content } of walFrames(log.path, 4096, lastFrames(log.path, 1, frames).values()))
    last.set(page, Buffer.from(content))
  const wal = readWal(log.path)
  expect(wal).toMatchObject({ frames, changed: new Set(last.keys()) })
  const copy = join(folder, 'moved.db')
  copyFileSync(log.path, copy)
  copyFileSync(walPath(log.path), walPath(copy))
  const db = new Database(copy)
  db.exec('PRAGMA wal_checkpoint(PASSIVE)')
  const database = readFileSync(copy)
  db.close()
  for (const [page, content] of last)
    expect(database.subarray((page - 1) * 4096, page * 4096).equals(content), `page ${page}`).toBe(true)
  log.close()
})

it('finds the one bit that was flipped, in its header and in its frames', () => {
  const log = new WrittenLog(5, 4096)
  log.write(10)
  const wal = readFileSync(walPath(log.path))
  const { frames } = readWalIndex(log.path)!
  const copy = join(folder, 'flipped.db')
  const bits = [17, 150, 8 * 32 + 3, 8 * (32 + 4120 + 10), 8 * (32 + 4120 * (frames - 1) + 2_000) + 5]
  for (const bit of bits) {
    const flipped = Buffer.from(wal)
    flipped[bit >>> 3] ^= 1 << (bit & 7)
    writeFileSync(walPath(copy), flipped)
    expect(flippedWalBit(copy)).toBe(bit)
  }
  log.close()
})

it('does not take a log that asks for pages of any size', () => {
  const path = join(folder, 'odd.db')
  const header = Buffer.alloc(64)
  header.writeUInt32BE(0x377f0682, 0)
  header.writeUInt32BE(0x7fff_fff0, 8)
  writeFileSync(walPath(path), header)
  expect(readWal(path)).toBe('damaged')
})
