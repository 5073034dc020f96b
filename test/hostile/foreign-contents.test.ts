/**
 * What a stranger has put into ledger and report: told as damage in one line, never a bug, never a command to
 * a terminal.
 *
 * @module-tag deep
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exit/index.js'
import { writeSealed } from '../../src/files/index.js'
import { configure, copyOf, newUser, smallSite, stoppedCrawl } from '../kit/foreign-directory.js'
import { type Ended, orbweaver, temporary } from '../kit/orbweaver.js'
import type { SmallWeb } from '../kit/small-web.js'

const ESCAPE = '\u001b]0;evil\u0007\u009b2J'

let web: SmallWeb
let theirs: string

beforeAll(async () => {
  web = await smallSite()
  theirs = await stoppedCrawl(web, newUser())
})
afterAll(() => web.close())

function forged(...sql: readonly string[]): string {
  const directory = copyOf(theirs)
  const ledger = new Database(join(directory, 'ledger.db'))
  for (const statement of sql) ledger.exec(statement)
  ledger.close()
  rmSync(join(directory, 'ledger.db.sums'), { force: true })
  return directory
}

const reading = (directory: string): readonly (readonly string[])[] => [
  ['status', directory],
  ['query', directory, 'SELECT count(*) FROM pages'],
  ['export', directory, '--to', 'jsonl', '--out', temporary('pages.jsonl')],
  ['verify', directory],
]

function expectPlain({ stdout, stderr }: Ended): void {
  expect(stdout + stderr).not.toMatch(/\bbug\b/)
  expect(stdout + stderr).not.toMatch(/[^\n\P{Cc}]/u)
}

it.each([
  ['whose schema says that it is older than it is', 'PRAGMA user_version = 0'],
  ['without a table', 'DROP TABLE file'],
  ['without a column', 'ALTER TABLE file RENAME COLUMN bytes TO size'],
  ['that lists lengths which are none', "UPDATE file SET bytes = 'many'"],
  ['that lists digests which are none', "UPDATE file SET crc32 = 'none'"],
])('a ledger %s is damaged, and its place is named', async (_, sql) => {
  const directory = forged(sql)
  const me = newUser()
  const verify = await orbweaver(['verify', directory], me)
  expect(verify.code, verify.stderr).toBe(EXIT.damaged)
  for (const command of reading(directory)) {
    const end = await orbweaver(command, me)
    expectPlain(end)
    expect([EXIT.done, EXIT.damaged], end.stderr).toContain(end.code)
    // Not that of the copy it was read from.
    expect(end.stderr).not.toContain('orbweaver-ledger-')
  }
})

it.each([
  ['{}', 'it does not say its format'],
  ['[]', 'it does not hold a JSON object'],
  ['{"format": 1, "config": null}', 'it holds no settings'],
])('a crawl.json of %s is damaged', async (text, reason) => {
  const directory = copyOf(theirs)
  writeFileSync(join(directory, 'crawl.json'), text)
  const { code, stderr } = await orbweaver(['status', directory], newUser())
  expect([code, stderr]).toEqual([EXIT.damaged, expect.stringContaining(reason)])
})

it.each(['crawl.json', 'ledger.db', 'tables/manifest.json'])(
  'a folder in the place of %s is damage',
  async name => {
    const directory = copyOf(theirs)
    rmSync(join(directory, name))
    mkdirSync(join(directory, name))
    for (const command of reading(directory)) {
      const end = await orbweaver(command, newUser())
      expectPlain(end)
      expect([EXIT.done, EXIT.damaged], end.stderr).toContain(end.code)
    }
  },
)

it('nothing that a terminal would obey gets there from a ledger', async () => {
  const text = `'${ESCAPE}'`
  const directory = forged(
    `UPDATE setting SET value = ${text} WHERE name NOT LIKE 'crawl.%' AND name NOT LIKE 'generation%'`,
    `INSERT OR REPLACE INTO setting VALUES ('rate', ${text})`,
    `UPDATE agent SET name = name || ${text}`,
    `UPDATE cell_outcome SET detail = ${text}`,
    `UPDATE file SET name = name || ${text}, bytes = bytes + 1`,
  )
  for (const command of reading(directory)) expectPlain(await orbweaver(command, newUser()))
})

it('nor from crawl.json and a report', async () => {
  const directory = copyOf(theirs)
  configure(directory, { ledger: 'postgres://x@127.0.0.1:1/x', name: `a${ESCAPE}` })
  const report = { pages: ESCAPE, finishReason: ESCAPE, endedAt: [ESCAPE] }
  writeSealed(join(directory, 'report.json'), 'report.json', report)
  for (const command of reading(directory)) expectPlain(await orbweaver(command, newUser()))
})
