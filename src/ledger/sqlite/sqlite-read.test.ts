/** Commands that only look at a ledger leave it as it is. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { openSqliteLedger } from './sqlite-ledger.js'
import { openLedgerToRead } from './sqlite-read.js'

const folder = mkdtempSync(join(tmpdir(), 'orb-read-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let path: string
let made = 0
const fresh = (): string => {
  const directory = join(folder, String(++made))
  mkdirSync(directory)
  return join(directory, 'ledger.db')
}
beforeEach(() => {
  path = fresh()
})

const now = () => 0
const write = (create: boolean) => openSqliteLedger(path, { create, now })

/** `parts` of the ledger, as a killed process leaves them. */
function killedCopy(parts: readonly string[]): string {
  const copy = fresh()
  for (const part of parts) copyFileSync(path + part, copy + part)
  return copy
}

it('a closed ledger is read without making a file beside it', async () => {
  const writer = write(true)
  await writer.set({ a: '1' })
  await writer.close()
  const copy = killedCopy(['', '.sums'])
  const before = [readFileSync(copy), readFileSync(`${copy}.sums`)]
  const reader = openLedgerToRead(copy, now)
  expect(await reader.settings()).toMatchObject({ a: '1' })
  await expect(reader.set({ a: '2' })).rejects.toThrow(/cannot be written/)
  await reader.close()
  expect(readdirSync(join(copy, '..')).sort()).toEqual(['ledger.db', 'ledger.db.sums'])
  expect([readFileSync(copy), readFileSync(`${copy}.sums`)]).toEqual(before)
})

it('a reader of a closed ledger sees what is written from then on', async () => {
  const first = write(true)
  await first.set({ a: '1' })
  await first.close()
  path = killedCopy(['', '.sums'])
  const reader = openLedgerToRead(path, now)
  expect(await reader.settings()).toMatchObject({ a: '1' })
  const writer = write(false)
  for (const a of ['2', '3']) {
    await writer.set({ a })
    expect(await reader.settings()).toMatchObject({ a })
  }
  await writer.close()
  expect(await reader.settings()).toMatchObject({ a: '3' })
  await reader.close()
})

it.each([
  ['with', ['', '-wal', '-shm', '.sums']],
  ['without', ['', '-wal', '.sums']],
])('a ledger whose writer was killed is read %s its index, and keeps its log', async (_, parts) => {
  const writer = write(true)
  await writer.set({ a: '1' })
  const copy = killedCopy(parts)
  const log = readFileSync(`${copy}-wal`)
  const reader = openLedgerToRead(copy, now)
  expect(await reader.settings()).toMatchObject({ a: '1' })
  await reader.close()
  expect(readFileSync(`${copy}-wal`)).toEqual(log)
  await writer.close()
})

const NOBODY = 65_534
const canBeNobody = process.getuid?.() === 0

it.runIf(canBeNobody)(
  'a ledger in a directory that must not be written is read, with a log too',
  async () => {
    const writer = write(true)
    await writer.set({ a: 'seen' })
    const copy = killedCopy(['', '-wal'])
    await writer.close()
    const closed = killedCopy([''])
    const script = `import { openLedgerToRead } from '${new URL('./sqlite-read.ts', import.meta.url)}'
    process.setgid(${NOBODY}); process.setuid(${NOBODY})
    for (const path of process.argv.slice(1)) {
      const reader = openLedgerToRead(path, () => 0)
      console.log((await reader.settings()).a)
      await reader.close()
    }`
    const open = join(folder, 'open')
    mkdirSync(open)
    chmodSync(open, 0o777)
    for (const name of [folder, tmpdir()]) chmodSync(name, statSync(name).mode | 0o011)
    const done = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', script, copy, closed],
      { encoding: 'utf8', env: { ...process.env, TMPDIR: open } },
    )
    expect([done.stdout, done.stderr]).toEqual(['seen\nseen\n', ''])
    expect(existsSync(`${copy}-shm`)).toBe(false)
  },
)
