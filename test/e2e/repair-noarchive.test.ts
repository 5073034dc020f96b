/**
 * What the archive does not hold cannot be rebuilt from it: `repair` names it, and nothing else.
 *
 * @module-tag deep
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exit/index.js'
import { filesIn, flip, rowsOf } from '../kit/damage.js'
import { orbweaver, temporary } from '../kit/orbweaver.js'
import { page, SmallWeb } from '../kit/small-web.js'

const LINKS = ['/meta', '/header', '/bare', '/open', 'http://elsewhere.example/']
const NOARCHIVE = { 'x-robots-tag': 'noarchive' }

let web: SmallWeb

beforeAll(async () => {
  web = await SmallWeb.listen({
    'a.test': path => {
      if (path === '/robots.txt') return null
      if (path === '/meta') return `<meta name=robots content=noarchive>${page('Meta', 'text', LINKS)}`
      if (path === '/header') return { headers: NOARCHIVE, body: page('Header', 'text', LINKS) }
      // Nothing of it can be lost: it has no links.
      if (path === '/bare') return { headers: NOARCHIVE, body: page('Bare', 'text') }
      return page(`Page ${path}`, 'text', LINKS)
    },
  })
})
afterAll(() => web.close())

it.each(['all', 'foreign'])(
  'with --links %s, of which pages that forbid archiving the links are lost',
  async links => {
    const directory = temporary('crawl')
    const args = ['crawl', 'http://a.test/', ...web.flags, '--links', links, '--out', directory]
    expect((await orbweaver(args)).code).toBe(EXIT.done)
    const before = await rowsOf(directory)
    flip(directory, filesIn(directory, 'tables/links', /\.parquet$/)[0], 0.5)
    const { code, stdout, stderr } = await orbweaver(['repair', directory])
    expect(code, stderr).toBe(EXIT.lost)
    expect(stdout.split('\n').filter(line => line.startsWith('lost'))).toEqual([
      'lost: the links of http://a.test/header: it is not in the archive (noarchive), so they cannot be rebuilt',
      'lost: the links of http://a.test/meta: it is not in the archive (noarchive), so they cannot be rebuilt',
    ])
    const after = await rowsOf(directory, ['lane'])
    expect(after.pages.size).toBe(before.pages.size)
    const isArchived = (row: string) => !/"url":"http:\/\/a\.test\/(?:meta|header)"/.test(row)
    expect(after.links).toEqual(before.links.filter(isArchived))
    expect((await orbweaver(['verify', directory])).code).toBe(EXIT.done)
  },
)

it('damage elsewhere costs no links', async () => {
  const directory = temporary('crawl')
  expect((await orbweaver(['crawl', 'http://a.test/', ...web.flags, '--out', directory])).code).toBe(
    EXIT.done,
  )
  flip(directory, filesIn(directory, 'archive', /\.cdxj$/)[0], 0.5)
  const { code, stdout } = await orbweaver(['repair', directory])
  expect(code, stdout).toBe(EXIT.done)
})
