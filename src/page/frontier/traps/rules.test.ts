/** Rules that look at the address alone. */
import { describe, expect, it } from 'vitest'
import { readTraps } from '../../../model/index.js'
import { Facets, sortedQuery } from './facets.js'
import { GrowingUrls } from './growing.js'
import { repeatsSegments } from './repeated-segments.js'
import { withoutSessionId } from './session-ids.js'

const at = (path: string) => `https://example.org${path}`

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

describe('the choice of rules', () => {
  it.each<[string[], number | null]>([
    [[], 7],
    [['all'], 7],
    [['none'], 0],
    [['calendar', 'facets'], 2],
    [['no-calendar'], 6],
    [['no-calendar', 'facets'], null],
    [['everything'], null],
  ])('%j keeps %s', (words, size) => expect(readTraps(words)?.size ?? null).toBe(size))
})
