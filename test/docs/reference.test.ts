/** The pages of docs/reference/ say what the program does. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { GENERATED } from '../../scripts/reference/pages.js'
import { EXIT } from '../../src/cli/exit/index.js'
import { orbweaver, temporary } from '../kit/orbweaver.js'
import { page, SmallWeb } from '../kit/small-web.js'

const read = (name: string) => readFileSync(new URL(`../../docs/reference/${name}`, import.meta.url), 'utf8')

it.each(Object.entries(GENERATED))('%s is up to date: run "npm run docs"', (name, make) => {
  expect(read(name)).toBe(make())
})

it('orbweaver --help names every exit code', async () => {
  const { stdout } = await orbweaver(['--help'])
  const [, list = ''] = /Exit codes:([\s\S]*)/.exec(stdout) ?? []
  for (const code of Object.values(EXIT)) expect(list).toMatch(new RegExp(`\\b${code} [a-z]`))
})

it('tables.md lists the columns of every table, in their order', async () => {
  const web = await SmallWeb.listen({ 'one.test': path => (path === '/' ? page('One', 'first') : null) })
  const out = temporary('crawl')
  const end = await orbweaver(['crawl', 'http://one.test/', ...web.flags, '--out', out])
  await web.close()
  expect(end.code, end.stderr).toBe(0)
  for (const table of ['pages', 'links', 'items', 'sites']) {
    const { stdout } = await orbweaver(['query', out, `SELECT * FROM ${table} LIMIT 0`, '--format', 'csv'])
    const [, section = ''] = read('tables.md').split(`## \`${table}\`\n`)
    const rows = section.split('\n## ')[0]!.matchAll(/^\| `(\w+)` /gm)
    expect([...rows].map(row => row[1])).toEqual(stdout.trim().split(','))
  }
})
