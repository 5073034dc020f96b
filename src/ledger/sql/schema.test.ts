import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { it } from 'vitest'

it('processes that open a new ledger at the same moment all find it whole', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'orb-schema-')), 'ledger.db')
  const open = `import { openSqliteLedger } from '${new URL('../sqlite/sqlite-ledger.ts', import.meta.url)}'
    await openSqliteLedger(${JSON.stringify(path)}, { create: true, now: () => 0 }).close()`
  const arguments_ = ['--import', 'tsx', '--input-type=module', '-e', open]
  const processes = Array.from({ length: 5 }, () => promisify(execFile)(process.execPath, arguments_))
  await Promise.all(processes)
})
