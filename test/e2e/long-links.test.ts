import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { urlsWith } from '../kit/crawled.js'
import { orbweaver, temporary } from '../kit/orbweaver.js'
import { page, SmallWeb } from '../kit/small-web.js'

const LONGEST = 2_048
/** A URL with exactly so many characters. */
const sized = (chars: number, start: string) => start + 'x'.repeat(chars - start.length)
const own = 'http://long.test/'
const fits = sized(LONGEST, `${own}fits-`)
const links = [
  `${own}two`,
  fits,
  sized(LONGEST + 1, `${own}own-`),
  sized(60_000, `${own}huge-`),
  sized(3_000, 'http://other.test/foreign-'),
  sized(3_000, `${own}left-out/`),
]

describe('a link of more than 2,048 characters', () => {
  let web: SmallWeb
  beforeAll(async () => {
    const listed = sized(2_500, `${own}listed-`)
    web = await SmallWeb.listen({
      'long.test': path => {
        if (path === '/robots.txt') return { type: 'text/plain', body: `Sitemap: ${own}sitemap.xml` }
        if (path === '/sitemap.xml')
          return { type: 'text/xml', body: `<urlset><url><loc>${listed}</loc></url></urlset>` }
        return page(path.slice(0, 20), 'text', links)
      },
      'other.test': () => page('other', 'text', [sized(5_000, `${own}from-other-`)]),
    })
  })
  afterAll(() => web.close())

  it('is not asked for, but counted, once a site, also over a resume', async () => {
    const out = temporary('crawl')
    const scope = ['--scope', 'any', '--exclude', 'left-out']
    const seeds = [own, 'http://other.test/']
    const args = [...web.flags, ...scope, '--max-pages', '2', '--connections-per-site', '1']
    const first = await orbweaver(['crawl', ...seeds, ...args, '--out', out])
    expect(first.code, first.stderr).toBe(10)
    await orbweaver(['set', out, 'maxPages='])
    const rest = await orbweaver(['resume', out])
    expect(rest.code, rest.stderr).toBe(0)
    expect((await urlsWith(out, 'OK')).sort()).toEqual([...seeds, `${own}two`, fits].sort())
    expect(web.asked.filter(asked => asked.length > LONGEST)).toEqual([])
    const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'))
    // Three on long.test's pages and one in its sitemap; one on other.test's.
    expect(report.outcomes.URL_TOO_LONG).toBe(5)
    expect(report).toMatchObject({ queued: 0, failed: 0, coverage: 1 })
    const named = report.troubledSites.filter(({ code }: { code: string }) => code === 'URL_TOO_LONG')
    expect(named.map(({ site, count }: { site: string; count: number }) => [site, count])).toEqual([
      ['long.test', 4],
      ['other.test', 1],
    ])
    for (const { detail } of named) expect(detail.length).toBeLessThan(200)
    expect(rest.stderr).toContain('links of more than 2048 characters')
  })

  it('with --max-depth too', async () => {
    const out = temporary('crawl')
    const end = await orbweaver(['crawl', own, ...web.flags, '--max-depth', '2', '--out', out])
    expect(end.code, end.stderr).toBe(0)
    const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'))
    expect(report.outcomes.URL_TOO_LONG).toBe(3)
    expect(report.queued).toBe(0)
  })

  it('is refused as a seed, before anything is made', async () => {
    const end = await orbweaver(['crawl', sized(LONGEST + 1, own), '--out', temporary('crawl')])
    expect(end.code).toBe(4)
    expect(end.stderr).toContain('has more than 2048 characters')
  })
})
