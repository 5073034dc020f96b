import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { digestFile } from '../store/index.js'
import { openSqliteLedger } from './sqlite-ledger.js'

const READER = `const db = new (require('libsql'))(process.argv[1]); db.prepare('SELECT * FROM crawl').all(); db.close()`

it('a ledger that is open here keeps its log when its digest was read and another process closes it', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'orb-digest-')), 'ledger.db')
  const ledger = openSqliteLedger(path, { create: true, now: () => 0 })
  await ledger.set({ a: '1' })
  digestFile(path, 'ledger', 100)
  execFileSync(process.execPath, ['-e', READER, path])
  expect(existsSync(`${path}-wal`)).toBe(true)
  await ledger.set({ b: '2' })
  const other = openSqliteLedger(path, { create: false, now: () => 0 })
  expect(await other.settings()).toMatchObject({ a: '1', b: '2' })
  await other.close()
  await ledger.close()
})
