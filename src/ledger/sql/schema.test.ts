import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Database from 'libsql'
import { expect, it } from 'vitest'
import { openSqliteLedger } from '../sqlite/index.js'
import { SCHEMA_STEPS } from './schema.js'

/** The step that put rows of inboxes together, and those before it. */
const ROWS = SCHEMA_STEPS.findIndex(({ sqlite }) => sqlite.includes('CREATE TABLE inbox_batch'))

it('a ledger whose inboxes hold single rows goes on with them, and loses none that comes later', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'orb-schema-')), 'ledger.db')
  const old = new Database(path)
  for (const { sqlite } of SCHEMA_STEPS.slice(0, ROWS)) old.exec(sqlite)
  old.exec(`
    INSERT INTO agent (name, open, started_at, heartbeat_at, budget, status) VALUES ('a', 0, 0, 0, 0, '');
    INSERT INTO cell (cell, grp, state, agent, epoch, lease_until, rank, last_pack, appended, consumed, inbox_cursor,
      parked_until, children, discovered, settled, pages, bytes, fetch_ms, first_fetch, last_fetch, size_estimate)
      VALUES ('a.test', 'a.test', 'waiting', NULL, 3, 0, 1, 0, 9, 7, 70, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0);
    INSERT INTO inbox (position, cell, url, depth, hops, score, via, sender) VALUES
      (71, 'a.test', 'http://a.test/"q"', 2, 1, 0.5, 'http://b.test/', 1), (90, 'a.test', 'http://a.test/x', 1, 0, 0, '', 0),
      (95, 'a.test', 'http://a.test/gone', 1, 0, 0, '', 0);
    DELETE FROM inbox WHERE position = 95;
    PRAGMA user_version = ${ROWS};`)
  old.close()
  const ledger = openSqliteLedger(path, { create: false, now: () => 1 })
  const row = { url: 'http://a.test/new', depth: 1, hops: 0, score: 0, via: '' }
  await ledger.append([{ cell: 'a.test', group: 'a.test', rows: [row] }])
  expect(await ledger.readInbox('a.test', 70, 10)).toEqual([
    {
      position: 71,
      url: 'http://a.test/"q"',
      depth: 2,
      hops: 1,
      score: 0.5,
      via: 'http://b.test/',
      sender: 'a',
    },
    { position: 90, url: 'http://a.test/x', depth: 1, hops: 0, score: 0, via: '', sender: '' },
    { ...row, position: 96, sender: '' },
  ])
  await ledger.close()
})

it('processes that open a new ledger at the same moment all find it whole', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'orb-schema-')), 'ledger.db')
  const open = `import { openSqliteLedger } from '${new URL('../sqlite/sqlite-ledger.ts', import.meta.url)}'
    await openSqliteLedger(${JSON.stringify(path)}, { create: true, now: () => 0 }).close()`
  const arguments_ = ['--import', 'tsx', '--input-type=module', '-e', open]
  const processes = Array.from({ length: 5 }, () => promisify(execFile)(process.execPath, arguments_))
  await Promise.all(processes)
})
