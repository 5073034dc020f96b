/** Crawls of a document root: `--source PREFIX=dir:PATH`. */
import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkWarcs } from '../kit/crawled.js'
import { orbweaver, temporary } from '../kit/orbweaver.js'
import { rowsOf } from '../kit/page-rows.js'

const SITE = 'https://site.test/'

/** A document root with everything that a crawl may meet in one. */
function madeRoot(): string {
  const root = temporary('root')
  const files: Record<string, string> = {
    'index.html':
      '<title>Home</title><a href=a.html>a</a><a href=sub>s</a><a href=.env>e</a><a href=b%20c.html>b</a><a href="{c}.html">c</a>',
    'a.html': '<title>A</title><a href=/missing.html>m</a><a href=private/x.html>p</a><a href=out.html>o</a>',
    'b c.html': '<title>B C</title>',
    // Its key in the index has a brace, as the JSON behind the key.
    '{c}.html': '<title>C</title>',
    'sub/index.htm': '<title>Sub</title><a href="http://other.test/">other</a>',
    'private/x.html': '<title>X</title>',
    'unlinked.html': '<title>nobody links here</title>',
    'robots.txt': 'User-agent: *\nDisallow: /private/\nCrawl-delay: 30\nSitemap: https://site.test/map.xml\n',
    'map.xml': '<urlset><url><loc>https://site.test/mapped.html</loc></url></urlset>',
    'mapped.html': '<title>Mapped</title>',
    '.env': 'SECRET=1',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, '..'), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  symlinkSync('/etc/hostname', join(root, 'out.html'))
  return root
}

const crawl = (root: string, out: string, ...flags: string[]) =>
  orbweaver(['crawl', SITE, '--source', `${SITE}=dir:${root}`, '--out', out, '--contact', SITE, ...flags])

describe('a crawl of a document root', () => {
  const root = madeRoot()
  const out = temporary('crawl')

  it('finds what links and sitemaps lead to, obeys robots.txt, and waits for nobody', async () => {
    const { code, stderr } = await crawl(root, out)
    expect(stderr).not.toContain('error')
    expect(code).toBe(0)
    const rows = await rowsOf(out, 'url, outcome, fetch_status, title')
    expect(
      rows.map(({ url, outcome, fetch_status: status }) => `${url} ${outcome} ${status}`).sort(),
    ).toEqual([
      'https://site.test/ OK 200',
      'https://site.test/%7Bc%7D.html OK 200',
      'https://site.test/.env HTTP_CLIENT_ERROR 404',
      'https://site.test/a.html OK 200',
      'https://site.test/b%20c.html OK 200',
      'https://site.test/mapped.html OK 200',
      'https://site.test/missing.html HTTP_CLIENT_ERROR 404',
      'https://site.test/out.html HTTP_CLIENT_ERROR 404',
      'https://site.test/private/x.html ROBOTS_DISALLOWED null',
      'https://site.test/sub REDIRECT 301',
      'https://site.test/sub/ OK 200',
    ])
    expect(rows.find(({ url }) => String(url).endsWith('/sub/'))?.title).toBe('Sub')
  })

  it('archives files as resources, which verify and other tools read', async () => {
    const check = await checkWarcs(out)
    expect(check.problems).toEqual([])
    expect(check.types.resource).toBe(8)
    expect(check.types).not.toHaveProperty('response')
    expect(check.types).not.toHaveProperty('request')
    expect(await orbweaver(['verify', out])).toMatchObject({ code: 0 })
  })

  it('is exported from its resources', async () => {
    const files = temporary('files')
    expect(await orbweaver(['export', out, '--to', 'files', '--out', files])).toMatchObject({ code: 0 })
    expect(readFileSync(join(files, 'site.test/b c.html'), 'utf8')).toContain('<title>B C</title>')
  })

  it('is crawled again with 304 for files that have not changed', async () => {
    writeFileSync(join(root, 'a.html'), '<title>A 2</title>')
    utimesSync(join(root, 'mapped.html'), new Date(), new Date(Date.now() + 60_000))
    const again = temporary('again')
    const { code } = await crawl(root, again, '--previous', out)
    expect(code).toBe(0)
    const rows = await rowsOf(again, 'url, outcome, title')
    const outcomeOf = (path: string) => rows.find(({ url }) => url === SITE + path)
    expect(outcomeOf('')).toMatchObject({ outcome: 'NOT_MODIFIED', title: 'Home' })
    expect(outcomeOf('a.html')).toMatchObject({ outcome: 'OK', title: 'A 2' })
    expect(outcomeOf('sub/')).toMatchObject({ outcome: 'NOT_MODIFIED', title: 'Sub' })
    expect(await orbweaver(['verify', again])).toMatchObject({ code: 0 })
    expect((await checkWarcs(again)).problems).toEqual([])
  })
})

describe('a wrong --source', () => {
  const root = madeRoot()
  const file = join(root, 'index.html')
  it.each([
    ['no source at all', 'nonsense', 'must be PREFIX=SPEC'],
    ['a directory that is not there', `${SITE}=dir:/nowhere/at/all`, 'there is no directory /nowhere/at/all'],
    ['a file as directory', `${SITE}=dir:${file}`, 'is not a directory'],
    [
      'a site out of scope',
      `https://elsewhere.test/=dir:${root}`,
      'no URL below https://elsewhere.test/ is in scope',
    ],
    [
      'an archive that is not there',
      `${SITE}=warc:/nowhere/*.warc.gz`,
      'no WARC file is at /nowhere/*.warc.gz',
    ],
  ])('%s is refused in one line', async (_, source, why) => {
    const { code, stderr } = await orbweaver(['crawl', SITE, '--source', source, '--out', temporary('none')])
    expect(code).toBe(4)
    expect(stderr).toMatch(/^orbweaver: --source: [^\n]+\n$/)
    expect(stderr).toContain(why)
  })
})
