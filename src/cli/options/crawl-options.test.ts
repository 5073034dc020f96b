import { expect, it } from 'vitest'
import { orbweaver } from '../../../test/kit/orbweaver.js'
import { FIELDS, OPTION_GROUPS } from '../../config/index.js'

const wordOf = (flag: string) => flag.split(' ')[0]!
const lineOf = (flag: string) => new RegExp(`^  ${wordOf(flag)}(?![-\\w])`, 'm')

it('crawl --help shows the basic options and names every other group', async () => {
  const { code, stdout } = await orbweaver(['crawl', '--help'])
  expect(code).toBe(0)
  for (const { group, flag } of Object.values(FIELDS))
    expect(lineOf(flag).test(stdout), flag).toBe(group === 'basics')
  expect(stdout).toContain('--help-all')
  for (const name of Object.values(OPTION_GROUPS).slice(1)) expect(stdout).toContain(name.toLowerCase())
  expect(stdout.split('\n').length).toBeLessThan(45)
})

it('crawl --help-all shows every option once, in the order of the groups, with its default', async () => {
  const { code, stdout } = await orbweaver(['crawl', '--help-all'])
  expect(code).toBe(0)
  const text = stdout.replace(/\s+/g, ' ')
  for (const { flag, help, fallback } of Object.values(FIELDS)) {
    expect(stdout.match(new RegExp(lineOf(flag), 'gm')), flag).toHaveLength(1)
    expect(text).toContain(fallback === undefined ? help : `${help} (default: ${fallback})`)
  }
  const places = Object.values(OPTION_GROUPS).map(name => stdout.indexOf(`\n${name}:\n`))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(places[0]).toBeGreaterThan(0)
})

it('an unknown option of crawl names the help that lists all of them', async () => {
  const { code, stderr } = await orbweaver(['crawl', 'https://example.org', '--colour', 'red'])
  expect(code).toBe(4)
  expect(stderr).toContain('orbweaver crawl --help-all lists the options')
})
