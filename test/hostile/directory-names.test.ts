/**
 * A directory may have any name: it is never a pattern, a column, an option or a command.
 *
 * @module-tag deep
 */
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { exportJsonl } from '../../src/data/export/index.js'
import { openTables } from '../../src/data/query/index.js'
import { WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { verifyDirectory } from '../../src/verify/index.js'
import { GENERATED, orbweaver, temporary } from '../kit/orbweaver.js'

let web: WebServer
let crawl: string
let folder: string
let expected: unknown

beforeAll(async () => {
  web = await WebServer.listen(new WebPlan({ sites: 2, pages: 12, seed: 3 }), { clock: systemClock, port: 0 })
  crawl = temporary('crawl')
  expect((await orbweaver(['crawl', web.seed, ...GENERATED, '--out', crawl])).code).toBe(0)
  folder = temporary('names')
  mkdirSync(folder)
  // What patterns would find besides.
  for (const name of ['gx', 'a', 'b', 'ab']) cpSync(crawl, join(folder, name), { recursive: true })
  expected = await countsOf(crawl)
})
afterAll(() => web.close())

async function countsOf(directory: string): Promise<unknown> {
  const tables = await openTables(directory)
  try {
    const sql = `SELECT count(*) AS pages, min(url) AS first, (SELECT count(*) FROM links) AS links,
      (SELECT sum(pages) FROM sites) AS sites FROM pages`
    for await (const row of tables.query(sql)) return row
    return undefined
  } finally {
    await tables.close()
  }
}

function named(name: string): string {
  const directory = join(folder, name)
  cpSync(crawl, directory, { recursive: true })
  return directory
}

it.each([
  'g*',
  '**',
  '[ab]',
  '[!x]*',
  '?',
  '{a,b}',
  "it's; --",
  'say "x"',
  'two\nlines',
  '%41',
  'url=evil',
  'x\\y',
  '$(touch owned)',
  '\x1b[2J',
  'long'.repeat(60),
])('%j is read like any other', async name => {
  const directory = named(name)
  expect(await countsOf(directory)).toEqual(expected)
  const out = join(folder, 'out.jsonl')
  const { written } = await exportJsonl(
    directory,
    `${out}.${Buffer.from(name).toString('hex').slice(0, 40)}`,
    () => {},
  )
  expect(written).toBe((expected as { pages: number }).pages)
  for await (const damage of verifyDirectory(directory)) throw new Error(damage.detail)
})

it('a name that DuckDB cannot open is refused with one line', async () => {
  await expect(countsOf(named('x\\y*'))).rejects.toThrow(/^DuckDB cannot open [^\n]+; rename the folder$/)
})

it.each(['~', './-x', 'a=b'])('%s is taken by the commands as it is written', async name => {
  named(name)
  const query = await orbweaver(
    ['query', name, 'SELECT count(*) AS n FROM pages', '--format', 'csv'],
    {},
    folder,
  )
  expect([query.code, query.stdout]).toEqual([0, `n\r\n${(expected as { pages: number }).pages}\r\n`])
  const status = await orbweaver(['status', name], {}, folder)
  expect([status.code, status.stderr]).toEqual([0, ''])
})

it('a name with escape sequences does not reach the terminal', async () => {
  const directory = join(folder, 'new\x1b[2J\nline\x9b31m')
  cpSync(crawl, directory, { recursive: true })
  for (const args of [
    ['status', directory],
    ['query', directory],
    ['query', join(directory, 'not there')],
    ['verify', directory],
  ]) {
    const { stdout, stderr } = await orbweaver(args)
    expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]/u)
  }
  expect(readFileSync(join(directory, 'crawl.json'), 'utf8')).toContain('"format"')
})

it('a name that looks like an option is explained', async () => {
  const { code, stderr } = await orbweaver(['query', '-x'], {}, folder)
  expect(code).toBe(4)
  expect(stderr).toMatch(/^orbweaver: unknown option '-x'; [^\n]*put -- before it\n$/)
})
