import { describe, expect, it } from 'vitest'
import { readTraps } from '../../model/trap.js'
import { Calendars } from './calendar.js'
import { Facets, sortedQuery } from './facets.js'
import { GrowingUrls } from './growing.js'
import { HostNames } from './host-names.js'
import { LookAlikes } from './look-alikes.js'
import { repeatsSegments } from './repeated-segments.js'
import { withoutSessionId } from './session-ids.js'
import { dateOf } from './url-date.js'

const at = (path: string) => `https://example.org${path}`
const NOW = Date.UTC(2026, 10, 15)

describe('repeated segments', () => {
  it.each([
    '/a/a/a/',
    '/a/a/a',
    '/x/a/b/a/b/a/b/',
    '/en/a/a/a/z.html',
    '/a/b/c/a/b/c/a/b/c',
    '/img/css/img/js/img/css/img/',
    '/a/b/a/b/a/b?q=1',
    '/1/1/1/1/1/1/1',
  ])('%s is a trap for who walks below it, and honest for who links to it from elsewhere', path => {
    const parent = at(path.replace(/[^/]+\/?(\?.*)?$/, ''))
    expect(repeatsSegments(at(path), parent)).toBe(true)
    expect(repeatsSegments(at(path), at('/'))).toBe(false)
    expect(repeatsSegments(at(path), '')).toBe(false)
  })

  it.each(['/a/a/a/a/a/', '/a/b/a/b/a/b/a/b/a/b/', '/i/c/i/j/i/c/i/j/i/c/i', '/1/1/1/1/1/1/1/1'])(
    '%s is a trap wherever it is linked from',
    path => expect(repeatsSegments(at(path), at('/'))).toBe(true),
  )

  it.each([
    '/',
    '/a/a/',
    '/docs/docs/docs-index/',
    '/en/stable/en/stable/guide/',
    '/2024/01/01/01/post/',
    '/tiles/0/0/0.png',
    '/tiles/1/1/1/1.png',
    '/google/guava/tree/master/guava/src/com/google/common/collect/super/com/google/common/',
    '/wiki/Buffalo_buffalo/Buffalo/buffalo',
    '/a/b/a/b/c/',
    '/search?q=/a/a/a/a/',
    '//double//slash',
  ])('%s is honest', path => expect(repeatsSegments(at(path), at(`${path}/a/a/b/b/b/`))).toBe(false))
})

describe('session ids', () => {
  const page = (url: string, ...links: string[]) => ({ url: at(url), links: links.map(at) })
  const nowhere = page('/')

  it.each([
    ['/a;jsessionid=1A2B3C4D5E6F', '/a'],
    ['/a;jsessionid=1A2B.node1?x=1', '/a?x=1'],
    ['/a/b;JSESSIONID=0000abcd/c', '/a/b/c'],
    ['/a?PHPSESSID=9f8e7d6c5b4a', '/a'],
    ['/a?x=1&PHPSESSID=9f8e7d6c5b4a&y=2', '/a?x=1&y=2'],
    ['/a?CFID=12345&CFTOKEN=6789abcd', '/a'],
    ['/a?ASPSESSIONIDQQSTTRAA=KJHGFDSAPOIUYTREWQLKJHGF', '/a'],
    ['/(S(lit3py55t21z5v55vlm25s55))/orders/list.aspx', '/orders/list.aspx'],
    ['/forum?sid=0123456789abcdef0123456789abcdef', '/forum'],
    ['/forum?t=5&s=0123456789abcdef0123456789abcdef', '/forum?t=5'],
    ['/a?osCsid=a1b2c3d4e5', '/a'],
  ])('%s is %s', (raw, clean) => expect(withoutSessionId(at(raw), nowhere)).toBe(at(clean)))

  it.each([
    '/a?s=shoes',
    '/a?sid=12345',
    '/conference?session=keynote',
    '/conference?session_id=2024-11-03',
    '/conference?sessionid=507f1f77bcf86cd799439011',
    '/a?inside=0123456789abcdef0123456789abcdef',
    '/a;v=1.2/b',
    '/wiki/Smile_(S)/x',
    '/a?phpsessid=',
  ])('%s stays', raw => expect(withoutSessionId(at(raw), nowhere)).toBe(at(raw)))

  it('an unsure name is a session when all links of the page share a value that is not its own', () => {
    const links = ['/b?sid=a1b2c3d4e5f6', '/c?x=1&sid=a1b2c3d4e5f6']
    expect(withoutSessionId(at(links[0]!), page('/', ...links))).toBe(at('/b'))
    const talks = ['/talk?sid=507f1f77bcf86cd799439011', '/talk?sid=507f1f77bcf86cd799439012']
    for (const talk of talks) expect(withoutSessionId(at(talk), page('/', ...talks))).toBe(at(talk))
    const own = ['/talk?sid=507f1f77bcf8&tab=1', '/talk?sid=507f1f77bcf8&tab=2']
    expect(withoutSessionId(at(own[0]!), page('/talk?sid=507f1f77bcf8', ...own))).toBe(at(own[0]!))
    expect(withoutSessionId(at('/b?sid=a1b2c3d4'), page('/', '/b?sid=a1b2c3d4'))).toBe(at('/b?sid=a1b2c3d4'))
  })

  it('values of which each is one link of many are ids of things, however classic', () => {
    const id = (n: number) => `0123456789abcdef0123456789abcd${n}`
    const talks = [10, 11, 12].map(n => `/talk?session_id=${id(n)}`)
    for (const talk of talks) expect(withoutSessionId(at(talk), page('/', ...talks))).toBe(at(talk))
    const next = page(talks[0]!, talks[1]!)
    expect(withoutSessionId(at(talks[1]!), next)).toBe(at(talks[1]!))
    expect(withoutSessionId(at(talks[1]!), page('/', talks[1]!, '/about', '/news'))).toBe(at(talks[1]!))
    const tab = `${talks[0]}&tab=2`
    expect(withoutSessionId(at(tab), page(talks[0]!, tab))).toBe(at(tab))
    const forum = ['/t1', '/t2', '/t3'].map(path => `${path}?sid=${id(10)}`)
    const pasted = `/t9?sid=${id(11)}`
    expect(withoutSessionId(at(forum[0]!), page('/', ...forum, pasted))).toBe(at('/t1'))
    expect(withoutSessionId(at(forum[0]!), page(pasted, ...forum))).toBe(at('/t1'))
  })

  it('a page of very many links with a session is read once', () => {
    const links = Array.from({ length: 50_000 }, (_, n) => `/p${n}?sid=a1b2c3d4e5f6`)
    const many = page('/', ...links)
    expect(many.links.filter(link => withoutSessionId(link, many).includes('sid'))).toEqual([])
  })
})

describe('dates in URLs', () => {
  const day = (y: number, m: number, d = 1) => Math.floor(Date.UTC(y, m - 1, d) / 86_400_000)

  it.each<[string, number, 'day' | 'month']>([
    ['/2026/11/', day(2026, 11), 'month'],
    ['/blog/2026/11/15/title', day(2026, 11, 15), 'day'],
    ['/cal/2026-11', day(2026, 11), 'month'],
    ['/cal/month-2026-11-05.html', day(2026, 11, 5), 'day'],
    ['/cal?date=2026-11-15', day(2026, 11, 15), 'day'],
    ['/cal?month=2026-11&view=list', day(2026, 11), 'month'],
    ['/cal?year=2026&month=11', day(2026, 11), 'month'],
    ['/cal?month=3&day=4&year=2026', day(2026, 3, 4), 'day'],
    ['/cal/20261115', day(2026, 11, 15), 'day'],
    ['/cal?m=202611', day(2026, 11), 'month'],
    ['/calendar/view.php?view=day&time=1795910400', Math.floor(1_795_910_400 / 86_400), 'day'],
    ['/cal/9999/12/', day(9999, 12), 'month'],
  ])('%s', (path, expected, unit) => expect(dateOf(at(path))).toMatchObject({ day: expected, unit }))

  it.each(['/', '/2026', '/item/20261', '/2026/13/', '/a-12-34', '/p?id=20261345', '/1234/5678/'])(
    '%s has none',
    path => expect(dateOf(at(path))).toBeNull(),
  )

  it('URLs that differ in their date only share a pattern', () => {
    const pattern = (path: string) => dateOf(at(path))?.pattern
    expect(pattern('/cal?year=2026&month=11')).toBe(pattern('/cal?year=1999&month=1'))
    expect(pattern('/cal/2026/11/')).toBe(pattern('/cal/2031/01/'))
    expect(pattern('/cal/2026/11/')).not.toBe(pattern('/cal/2026/11/05/'))
    expect(pattern('/cal?date=2026-11-15&v=1')).not.toBe(pattern('/cal?date=2026-11-15&v=2'))
  })
})

describe('calendars', () => {
  const month = (index: number) =>
    at(`/cal/${Math.floor(index / 12)}/${String((index % 12) + 1).padStart(2, '0')}/`)
  const today = 2026 * 12 + 10

  it('a walk ends two years ahead', () => {
    const calendars = new Calendars()
    let index = today
    expect(calendars.judge(month(index), at('/'), NOW)).toBe(false)
    while (!calendars.judge(month(index + 1), month(index), NOW)) index++
    expect(index - today).toBeGreaterThanOrEqual(23)
    expect(index - today).toBeLessThanOrEqual(26)
  })

  it('a walk back over honest pages goes on to the beginning of time, 1970', () => {
    const calendars = new Calendars()
    let index = today
    while (!calendars.judge(month(index - 1), month(index), NOW)) {
      index--
      calendars.read(dateOf(month(index))!, index, true, NOW)
    }
    expect(index).toBe(1970 * 12)
  })

  it('a walk over empty pages ends soon, and does not begin again after a rebuild', () => {
    const calendars = new Calendars()
    const rebuilt = new Calendars()
    let index = today
    for (;;) {
      const isRefused = calendars.judge(month(index - 1), month(index), NOW)
      rebuilt.replay(month(index - 1), month(index), isRefused, NOW)
      if (isRefused) break
      index--
      // Month names make twelve different empty pages.
      calendars.read(dateOf(month(index))!, index % 12, false, NOW)
    }
    expect(today - index).toBeLessThan(60)
    expect(rebuilt.judge(month(index - 2), month(index - 1), NOW)).toBe(true)
    expect(rebuilt.judge(month(today - 5), month(today - 4), NOW)).toBe(false)
  })

  it('what a page without a date links to is honest, and what lies between', () => {
    const calendars = new Calendars()
    expect(calendars.judge(month(1850 * 12), at('/archive'), NOW)).toBe(false)
    expect(calendars.judge(month(2040 * 12), at('/plans'), NOW)).toBe(false)
    expect(calendars.judge(month(1900 * 12), month(1899 * 12), NOW)).toBe(false)
    expect(calendars.judge(month(1849 * 12), month(1850 * 12), NOW)).toBe(true)
  })

  it('the days of a month, and what stands below a day, are as honest as the page that links to them', () => {
    const calendars = new Calendars()
    expect(calendars.judge(at('/paper/1921/05/'), at('/paper/1921/'), NOW)).toBe(false)
    expect(calendars.judge(at('/paper/1921/05/17/'), at('/paper/1921/05/'), NOW)).toBe(false)
    expect(calendars.judge(at('/paper/1921/05/17/front.html'), at('/paper/1921/05/17/'), NOW)).toBe(false)
    expect(calendars.judge(at('/paper/1921/06/01/'), at('/paper/1921/05/31/'), NOW)).toBe(true)
  })
})

describe('facets', () => {
  it('combinations of filters end; ids, pages and few filters do not', () => {
    const combine = (values: number, names: string[], facets = new Facets()) => {
      let refused = 0
      const go = (left: readonly string[], query: string): void => {
        const [name, ...rest] = left
        if (name === undefined) refused += facets.judge(at(`/shop?${query.slice(1)}`)) ? 1 : 0
        else for (let i = 0; i < values; i++) go(rest, `${query}&${name}=${i}`)
      }
      go(names, '')
      return refused
    }
    expect(5 ** 5 - combine(5, ['a', 'b', 'c', 'd', 'e'])).toBeLessThan(2_000)
    expect(5 ** 6 - combine(5, ['a', 'b', 'c', 'd', 'e', 'f'])).toBeLessThan(2_000)
    expect(combine(12, ['a', 'b', 'c'])).toBe(0)
    expect(combine(14, ['a', 'b', 'c'])).toBeGreaterThan(0)
    expect(combine(60, ['a', 'b'])).toBe(0)
    const joomla = new Facets()
    for (let id = 0; id < 20_000; id++)
      expect(
        joomla.judge(at(`/index.php?option=content&view=article&lang=${id % 3}&Itemid=${id % 40}&id=${id}`)),
      ).toBe(false)
    const paged = new Facets()
    for (let i = 0; i < 3_000; i++)
      expect(paged.judge(at(`/list?cat=${i % 30}&page=${Math.floor(i / 30)}&sort=name`))).toBe(false)
  })

  it('repeated names are as many filters, and filters that are left out are values', () => {
    const facets = new Facets()
    let refused = 0
    for (let bits = 0; bits < 1 << 12; bits++) {
      const chosen = Array.from({ length: 12 }, (_, i) => i).filter(i => (bits >> i) & 1)
      refused += facets.judge(at(`/shop?${chosen.map(i => `f[]=${i}`).join('&')}`)) ? 1 : 0
    }
    expect(refused).toBeGreaterThan(2_000)
  })

  it('the order of parameters has one form', () => {
    expect(sortedQuery(at('/a?b=2&a=1'))).toBe(at('/a?a=1&b=2'))
    expect(sortedQuery(at('/a?a=1&b=2'))).toBe(at('/a?a=1&b=2'))
    for (const path of ['/a', '/a?b', '/a?']) expect(sortedQuery(at(path))).toBe(at(path))
  })
})

describe('growing URLs', () => {
  const walk = (next: (url: string, step: number) => string, steps: number) => {
    const growing = new GrowingUrls()
    let url = at('/g/x')
    for (let step = 0; step < steps; step++) {
      const longer = next(url, step)
      if (growing.judge(longer, url)) return step
      url = longer
    }
    return steps
  }

  it.each<[string, (url: string, step: number) => string]>([
    ['a longer name', url => `${url}x`],
    ['one more folder', (url, step) => `${url}/${step}`],
    ['one more parameter', (url, step) => `${url}${step === 0 ? '?' : '&'}p${step}=1`],
    ['a random longer name', (_, step) => at(`/g/${'r'.repeat(step + 3)}`)],
  ])('%s with every step ends', (_, next) => {
    expect(walk(next, 500)).toBeLessThan(40)
    expect(walk(next, 500)).toBeGreaterThan(15)
  })

  it('a URL inside a URL inside a URL is one', () => {
    expect(new GrowingUrls().judge(at('/login?to=%25252Flogin'), at('/'))).toBe(true)
    expect(new GrowingUrls().judge(at('/login?to=%2Flogin%3Fto%3D%252Fa'), at('/'))).toBe(false)
  })

  it('honest sites do not grow: pages, posts of any length, deep folders', () => {
    const growing = new GrowingUrls()
    for (let page = 1; page < 5_000; page++) {
      expect(growing.judge(at(`/blog/page/${page + 1}`), at(`/blog/page/${page}`))).toBe(false)
      expect(
        growing.judge(at(`/blog/${'post-'.repeat((page * 7919) % 30)}${page}`), at(`/blog/page/${page}`)),
      ).toBe(false)
    }
    let folder = at('/src/')
    for (let depth = 0; depth < 20; depth++) {
      expect(growing.judge(`${folder}folder${depth}/`, folder)).toBe(false)
      folder = `${folder}folder${depth}/`
    }
  })
})

describe('look-alikes', () => {
  const alike = (pages: number, body: (n: number) => string, title = 'T', one = new LookAlikes()) => {
    let found = 0
    for (let n = 0; n < pages; n++)
      found += one.isAlike(at(`/page/${n}`), title, Buffer.from(body(n))) ? 1 : 0
    return found
  }
  const token = (n: number) => `${(n + 0x9a1b2c3d).toString(16)}7f`
  const missing = (n: number) =>
    `<h1>Sorry</h1><p>There is no page ${n} here.</p><a href="/r/${n * 17}">more${n}</a>`

  it('the same page under many addresses but for a token is one', () => {
    expect(
      alike(40, n => `<p>hello <a href="/x/${token(n)}">go</a> or <a href="/y/${token(n)}">there</a>`),
    ).toBeGreaterThan(20)
  })

  it.each<[string, (n: number) => string]>([
    ['lists of things', n => `<a href="/${token(3 * n)}"><img></a><a href="/${token(3 * n + 1)}"><img></a>`],
    ['things with a next one', n => `<img src="/f/${token(n)}.jpg"><a href="/walk/${token(n + 1)}">next</a>`],
    ['the same relative links', () => '<p>nothing here <a href="x">go</a>'],
    ['links to a next one', n => `<a href="/walk/${token(n + 1)}">next</a>`],
  ])('%s under names drawn by lot are not, unless a page that cannot exist is one too', (_, body) => {
    const honest = new LookAlikes()
    expect(alike(100, body, 'T', honest)).toBe(0)
    expect(honest.takeProbe()).toBe(true)
    honest.probed(at('/af31'), null)
    expect(alike(100, body, 'T', honest)).toBe(0)
    const dishonest = new LookAlikes()
    alike(100, body, 'T', dishonest)
    dishonest.probed(at('/af31'), Buffer.from(body(7_777)))
    expect(alike(10, body, 'T', dishonest)).toBe(10)
  })

  it('pages that say the same are, if a page that cannot exist says it too', () => {
    const suspicious = new LookAlikes()
    expect(alike(40, missing, 'T', suspicious)).toBe(0)
    expect(suspicious.takeProbe()).toBe(true)
    expect(suspicious.takeProbe()).toBe(false)
    suspicious.probed(at('/af31'), Buffer.from(missing(77)))
    expect(alike(10, missing, 'T', suspicious)).toBe(10)
    const honest = new LookAlikes()
    alike(40, missing, 'T', honest)
    honest.probed(at('/af31'), null)
    expect(alike(40, missing, 'T', honest)).toBe(0)
  })

  it('lists of different things under one title are not', () => {
    expect(alike(200, n => `<p>Gallery</p><a href="/photo/${n}"><img src="/t/${n}.jpg"></a>`)).toBe(0)
  })
})

describe('hosts of a domain', () => {
  const home = (host: string, text: string) => [`http://${host}/`, host, Buffer.from(text)] as const

  it('a domain whose hosts all say the same gets no new ones', () => {
    const hosts = new HostNames()
    let admitted = 0
    for (let n = 0; n < 50; n++) {
      const host = `h${n}.x.test`
      if (!hosts.admits(host)) continue
      admitted++
      hosts.sawHome(...home(host, `<p>Welcome to ${host}, a fine place to be</p>`))
    }
    expect(admitted).toBe(10)
    expect(hosts.admits('h3.x.test')).toBe(true)
    expect(hosts.admits('x.test')).toBe(true)
    expect(hosts.admits('www.x.test')).toBe(true)
    expect(hosts.admits('other.test')).toBe(true)
  })

  it('hosts that differ are as many as the limit allows; hosts of a public suffix are domains', () => {
    const hosts = new HostNames()
    const words = 'aa bb cc dd ee ff gg hh'.split(' ')
    for (let n = 0; n < 1_000; n++) {
      expect(hosts.admits(`h${n}.x.test`)).toBe(true)
      const text = [n & 7, (n >> 3) & 7, (n >> 6) & 7, n >> 9].map(i => words[i]).join(' ')
      hosts.sawHome(...home(`h${n}.x.test`, text))
    }
    expect(hosts.admits('one-more.x.test')).toBe(false)
    for (let n = 0; n < 2_000; n++) expect(hosts.admits(`user${n}.github.io`)).toBe(true)
  })
})

describe('the choice of rules', () => {
  it.each<[string[], number | null]>([
    [[], 8],
    [['all'], 8],
    [['none'], 0],
    [['calendar', 'facets'], 2],
    [['no-calendar'], 7],
    [['no-calendar', 'facets'], null],
    [['everything'], null],
  ])('%j keeps %s', (words, size) => expect(readTraps(words)?.size ?? null).toBe(size))
})
