import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { urlsWith } from '../kit/crawled.js'
import { orbweaver, start, temporary } from '../kit/orbweaver.js'
import { page, SmallWeb } from '../kit/small-web.js'

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
const outcomesOf = (out: string) =>
  (JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as { outcomes: Record<string, number> })
    .outcomes

describe('scope', () => {
  let web: SmallWeb
  beforeAll(async () => {
    web = await SmallWeb.listen(
      {
        'a.test': path => {
          if (path === '/')
            return page('A', 'home', ['/out', '/canonical', 'http://b.test/', 'http://ads.c.test/'])
          if (path === '/out') return { status: 302, headers: { location: 'http://b.test/moved' }, body: '' }
          return path === '/canonical'
            ? page('A', '<link rel="canonical" href="http://b.test/canonical">', ['http://b.test/linked'])
            : null
        },
        'b.test': path => page('B', path, path === '/' ? numbers(400).map(n => `/n/${n}`) : []),
        'ads.c.test': path => page('Ads', path),
      },
      5,
    )
  })
  afterAll(() => web.close())

  it('holds for links, redirects and canonical links alike', async () => {
    const out = temporary('crawl')
    const end = await orbweaver(['crawl', 'http://a.test/', ...web.flags, '--out', out])
    expect(end.code, end.stderr).toBe(0)
    expect(web.asked.filter(url => !url.startsWith('a.test/'))).toEqual([])
    expect((await urlsWith(out, 'OK')).sort()).toEqual(['http://a.test/', 'http://a.test/canonical'])
  })

  it('--blacklist takes hosts, domains and files of them', async () => {
    const list = temporary('blacklist.txt')
    writeFileSync(list, '# not these\n*.c.test\n')
    const out = temporary('crawl')
    const flags = ['--scope', 'any', '--blacklist', 'b.test', '--blacklist', `@${list}`]
    web.asked.length = 0
    const end = await orbweaver([
      'crawl',
      'http://a.test/',
      'http://b.test/seed',
      ...web.flags,
      ...flags,
      '--out',
      out,
    ])
    expect(end.code, end.stderr).toBe(0)
    expect(web.asked.filter(url => !url.startsWith('a.test/'))).toEqual([])
    expect(outcomesOf(out)).toMatchObject({ BLACKLISTED: 1 })
    const wrong = await orbweaver([
      'crawl',
      'http://a.test/',
      '--blacklist',
      '@/no/such/file',
      '--out',
      temporary('x'),
    ])
    expect([wrong.code, wrong.stderr]).toEqual([4, expect.stringContaining('/no/such/file')])
  })

  it('a host that is blacklisted while the crawl runs is asked no more; its URLs have an outcome', async () => {
    const out = temporary('crawl')
    web.asked.length = 0
    const running = start([
      ...['crawl', 'http://a.test/', ...web.flags, '--scope', 'any', '--rate', '10', '--out', out],
    ])
    while (web.askedOf('b.test').length < 10) await new Promise(resolve => setTimeout(resolve, 10))
    expect((await orbweaver(['set', out, 'blacklist=B.test,other.example'])).code).toBe(0)
    const end = await running.ended
    expect(end.code, end.stderr).toBe(0)
    expect(outcomesOf(out).BLACKLISTED).toBeGreaterThan(100)
    expect((await urlsWith(out, 'BLACKLISTED')).every(url => url.startsWith('http://b.test/'))).toBe(true)
    expect((await orbweaver(['set', out, 'blacklist=not a host'])).code).toBe(4)
  }, 300_000)

  it('patterns that could hang the crawl are refused, or do not', async () => {
    const refused = await orbweaver([
      'crawl',
      'http://a.test/',
      '--exclude',
      '(?=(a+)+$)x',
      '--out',
      temporary('x'),
    ])
    expect(refused.code).toBe(4)
    expect(refused.stderr).toContain('could take forever')
    const out = temporary('crawl')
    const slow = await SmallWeb.listen({ 'a.test': () => page('A', 'x', [`/${'a'.repeat(2_000)}!`]) })
    const end = await orbweaver([
      ...['crawl', 'http://a.test/', ...slow.flags, '--out', out],
      ...['--exclude', '(a+)+$', '--include', '^http://(a|aa)+\\.test/(a|a)*'],
    ])
    await slow.close()
    expect(end.code, end.stderr).toBe(0)
  })
})
