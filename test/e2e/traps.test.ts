import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SeededRandom } from '../../src/model/index.js'
import { urlsWith } from '../kit/crawled.js'
import { orbweaver, start, temporary } from '../kit/orbweaver.js'
import { page, type SmallSite, SmallWeb } from '../kit/small-web.js'

const random = new SeededRandom(3)
const token = () =>
  Math.floor(random.next() * 2 ** 48)
    .toString(16)
    .padStart(12, '0')
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
/** Text that differs from page to page. */
const prose = (n: number) =>
  numbers(12)
    .map(i => ['oak', 'elm', 'ash', 'fir', 'yew', 'box', 'bay', 'fig'][(n * (i + 3) + (n >> i)) % 8])
    .join(' ')

const today = new Date()
const thisMonth = today.getUTCFullYear() * 12 + today.getUTCMonth()
const monthPath = (month: number) =>
  `/calendar/${Math.floor(month / 12)}/${String((month % 12) + 1).padStart(2, '0')}/`
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
]

/** Every month links the one before and after it, for ever; the last eight have an event. */
const calendar: SmallSite = path => {
  if (path === '/') return page('Home', 'welcome', [monthPath(thisMonth), '/about'])
  if (path === '/about' || path.startsWith('/event/'))
    return page(path, `all about ${prose(path.length * 31)}`)
  const match = /^\/calendar\/(\d+)\/(\d+)\/$/.exec(path)
  if (match === null) return null
  const month = Number(match[1]) * 12 + Number(match[2]) - 1
  const isBusy = month <= thisMonth && month > thisMonth - 8
  const links = [monthPath(month - 1), monthPath(month + 1), ...(isBusy ? [`/event/${month}`] : [])]
  return page(
    `Calendar ${MONTHS[month % 12] ?? 'Winter'}`,
    `Events of ${MONTHS[month % 12] ?? 'winter'}`,
    links,
  )
}

/** A session begins with every page that is asked for without one, and is in every link. */
const sessions: SmallSite = path => {
  const match = /^\/(?:p(\d+))?(?:[;?].*)?$/.exec(path)
  if (match === null) return null
  const number = Number(match[1] ?? 0)
  // With letters and digits for certain: one token in three hundred has digits only, and is a number to us.
  const id = `7f3${token()}`
  const link = (n: number) => (n % 2 === 0 ? `/p${n};jsessionid=${id}` : `/p${n}?sid=${id}`)
  return page(`Page ${number}`, prose(number), numbers(12).map(link))
}

const FILTERS = ['brand', 'colour', 'cut', 'fit', 'make', 'size', 'style']
/** Every list links to lists with one more filter, in any order, and to the products it shows. */
const facets: SmallSite = path => {
  if (path.startsWith('/product/')) return page(path, `buy ${prose(Number(path.slice(9)))}`)
  const url = new URL(path, 'http://facets.test/')
  if (url.pathname !== '/shop' && path !== '/') return null
  const chosen = [...url.searchParams]
  const more = FILTERS.filter(name => !url.searchParams.has(name)).flatMap(name =>
    numbers(5).map(
      value => `/shop?${[...chosen, [name, String(value)]].map(([k, v]) => `${k}=${v}`).join('&')}`,
    ),
  )
  const shown = chosen.reduce((sum, [, value]) => sum * 7 + Number(value), chosen.length)
  return page('Shop', `our products ${prose(shown)}`, [...more, `/product/${shown % 20}`, '/shop'])
}

/** Five honest pages; whatever else is asked for is said not to be there, with a 200 and new links. */
const soft: SmallSite = path => {
  if (path === '/robots.txt') return null
  if (path === '/') return page('Home', 'the honest pages', [...numbers(5).map(n => `/real/${n}`), '/lost'])
  if (/^\/real\/[0-4]$/.test(path))
    return page(`Real ${path}`, `something real ${prose(Number(path.slice(6)))}`)
  const links = numbers(3).map(
    () =>
      `/found/${token()}-${numbers(3)
        .map(() => 'xyz'[Math.floor(random.next() * 3)])
        .join('')}`,
  )
  return page('Sorry', `We looked everywhere, but ${path} is not here. Try one of these.`, links)
}

/** Relative links on a server that answers below every path. */
const folders: SmallSite = path => {
  if (path === '/robots.txt') return null
  const depth = path.split('/').length
  return page(`Folder ${depth}`, `${depth} deep: ${prose(path.length)}`, ['a/', 'b/'])
}

/** Every page links to one with a longer name. */
const growing: SmallSite = path => {
  if (path === '/') return page('Home', 'start', ['/g/x', '/honest'])
  if (path === '/honest') return page('Honest', 'an honest page')
  if (!path.startsWith('/g/')) return null
  return page(`Step ${path.length}`, prose(path.length), [`${path}x`])
}

/** Any name below wild.test exists, and knows two more. */
const wild: SmallSite = (path, host) => {
  if (path === '/about') return page('About', `about ${host}`)
  if (path !== '/') return null
  const others = host === 'wild.test' ? ['http://shop.wild.test/about', 'http://blog.wild.test/about'] : []
  const links = [...numbers(2).map(() => `http://h${token()}.wild.test/`), ...others]
  return page('Welcome', `Welcome to ${host}, where every name is a good name`, links)
}

/** Every folder forwards to what is in it, by the same bytes. */
const manual: SmallSite = path => {
  if (path === '/')
    return page(
      'Manual',
      'contents',
      numbers(40).map(n => `/chapter-${n}/`),
    )
  if (/^\/chapter-\d+\/$/.test(path))
    return '<title>Manual</title><meta http-equiv=refresh content="0; url=text.html">'
  const chapter = /^\/chapter-(\d+)\/text\.html$/.exec(path)
  return chapter === null ? null : page(`Chapter ${chapter[1]}`, prose(Number(chapter[1])))
}

const HONEST: Readonly<Record<string, readonly string[]>> = {
  'calendar.test': ['/', '/about', monthPath(thisMonth), ...numbers(8).map(i => `/event/${thisMonth - i}`)],
  'sessions.test': numbers(12).map(n => (n % 2 === 0 ? `/p${n}` : `/p${n}`)),
  'facets.test': ['/', '/shop', ...numbers(20).map(n => `/product/${n}`)],
  'soft.test': ['/', ...numbers(5).map(n => `/real/${n}`)],
  'folders.test': ['/', '/a/', '/b/', '/a/a/', '/a/b/', '/a/b/a/b/'],
  'growing.test': ['/', '/honest', '/g/x'],
}
const RULE: Readonly<Record<string, string>> = {
  'calendar.test': 'calendar',
  'sessions.test': 'session-ids',
  'facets.test': 'facets',
  'soft.test': 'soft-404',
  'folders.test': 'repeated-segments',
  'growing.test': 'growing',
}

interface Report {
  readonly pages: number
  readonly finishReason: string
  readonly outcomes: Readonly<Record<string, number>>
  readonly troubledSites: readonly { site: string; code: string; count: number }[]
}
const reportOf = (directory: string) =>
  JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8')) as Report

describe('endless sites', () => {
  let web: SmallWeb
  beforeAll(async () => {
    web = await SmallWeb.listen({
      'calendar.test': calendar,
      'sessions.test': sessions,
      'facets.test': facets,
      'soft.test': soft,
      'folders.test': folders,
      'growing.test': growing,
      'manual.test': manual,
      'wild.test': wild,
      '.wild.test': wild,
    })
  })
  afterAll(() => web.close())

  const crawl = (out: string, seeds: readonly string[], ...more: string[]) =>
    orbweaver(['crawl', ...seeds.map(host => `http://${host}/`), ...web.flags, '--out', out, ...more])

  it('end, with every honest page, and the rule that ended each is counted', async () => {
    const out = temporary('crawl')
    const end = await crawl(out, Object.keys(HONEST), '--max-pages', '20000')
    expect(end.code, end.stderr).toBe(0)
    const stored = new Set(await urlsWith(out, 'OK'))
    const report = reportOf(out)
    for (const [host, paths] of Object.entries(HONEST)) {
      expect(
        paths.filter(path => !stored.has(`http://${host}${path}`)),
        host,
      ).toEqual([])
      if (RULE[host] === 'session-ids') continue
      const trap = report.troubledSites.find(site => site.site === host && site.code === `TRAP:${RULE[host]}`)
      expect(trap?.count, `${host}: ${JSON.stringify(report.troubledSites)}`).toBeGreaterThan(0)
    }
    // Links without their session ids were followed: that is counted, and no trouble.
    expect(report.outcomes['TRAP:session-ids']).toBeGreaterThan(0)
    expect(report.troubledSites.filter(({ code }) => code === 'TRAP:session-ids')).toEqual([])
    const calendarPages = [...stored].filter(url => url.includes('calendar.test/calendar/'))
    expect(calendarPages.length).toBeLessThan(110)
    expect([...stored].filter(url => url.includes('sessions.test')).length).toBe(13)
    expect([...stored].filter(url => url.includes('soft.test')).length).toBeLessThan(400)
    expect(end.stderr).toContain('--traps no-calendar')
  }, 300_000)

  it('do not include a manual whose folders all hold the same forwarding page', async () => {
    const out = temporary('crawl')
    const end = await crawl(out, ['manual.test'])
    expect(end.code, end.stderr).toBe(0)
    expect(reportOf(out).outcomes).toEqual({ OK: 81, PROBE: 1 })
  })

  it('go on without the rules, up to --max-pages, with the rules off together or one by one', {
    tags: 'deep',
  }, async () => {
    const out = temporary('crawl')
    const end = await crawl(out, Object.keys(HONEST), '--traps', 'none', '--max-pages', '4000')
    expect(end.code, end.stderr).toBe(10)
    const report = reportOf(out)
    expect(report).toMatchObject({ pages: 4_000, finishReason: 'limit' })
    expect(Object.keys(report.outcomes).filter(code => code.startsWith('TRAP:'))).toEqual([])
    const stored = await urlsWith(out, 'OK')
    const pagesOf = (host: string) => stored.filter(url => url.startsWith(`http://${host}/`)).length
    for (const host of Object.keys(HONEST)) expect(pagesOf(host), host).toBeGreaterThan(300)
    const one = await crawl(
      temporary('crawl'),
      ['calendar.test'],
      '--traps',
      'no-calendar',
      '--max-pages',
      '300',
    )
    expect(one.code, one.stderr).toBe(10)
  })

  it('a domain that answers to any name ends, its honest hosts found', async () => {
    const out = temporary('crawl')
    const seeds = ['wild.test']
    const end = await crawl(out, seeds, '--scope', 'domain', '--max-pages', '3000')
    expect(end.code, end.stderr).toBe(0)
    const stored = await urlsWith(out, 'OK')
    for (const url of ['http://wild.test/', 'http://shop.wild.test/about', 'http://blog.wild.test/about'])
      expect(stored).toContain(url)
    expect(stored.length).toBeLessThan(200)
    expect(reportOf(out).outcomes['TRAP:subdomains']).toBeGreaterThan(0)
    const endless = await crawl(
      temporary('crawl'),
      seeds,
      '--scope',
      'domain',
      '--max-pages',
      '300',
      '--traps',
      'no-subdomains',
    )
    expect(endless.code, endless.stderr).toBe(10)
  }, 300_000)

  it('--max-pages-per-site is a budget for each site, met exactly, and what is left has an outcome', async () => {
    const out = temporary('crawl')
    const seeds = ['growing.test', 'folders.test']
    const limit = ['--max-pages-per-site', '7', '--connections-per-site', '3', '--traps', 'none']
    const end = await crawl(out, seeds, ...limit)
    expect(end.code, end.stderr).toBe(0)
    const stored = await urlsWith(out, 'OK')
    for (const host of seeds) expect(stored.filter(url => url.includes(host))).toHaveLength(7)
    const { outcomes } = reportOf(out)
    expect(outcomes.SITE_PAGE_LIMIT).toBeGreaterThan(0)
    expect(outcomes).not.toHaveProperty('TRAP:site-budget')
    expect(end.stderr).toContain('raise --max-pages-per-site')
  }, 300_000)

  it('decisions survive kill -9: a resumed crawl ends as soon, and judges nothing twice', async () => {
    const out = temporary('crawl')
    const before = web.asked.length
    const running = start([
      ...['crawl', ...['calendar.test', 'folders.test', 'facets.test'].map(host => `http://${host}/`)],
      ...[...web.flags, '--out', out, '--max-pages', '20000'],
    ])
    while (web.asked.length < before + 150) await new Promise(resolve => setTimeout(resolve, 5))
    running.process.kill('SIGKILL')
    await running.ended
    const end = await orbweaver(['resume', out])
    expect(end.code, end.stderr).toBe(0)
    const stored = await urlsWith(out, 'OK')
    expect(new Set(stored).size).toBe(stored.length)
    for (const host of ['calendar.test', 'folders.test', 'facets.test'])
      expect(
        HONEST[host]?.filter(path => !stored.includes(`http://${host}${path}`)),
        host,
      ).toEqual([])
    const refused = await urlsWith(out, 'TRAP:repeated-segments')
    expect(new Set(refused).size).toBe(refused.length)
    expect(refused.length).toBe(reportOf(out).outcomes['TRAP:repeated-segments'])
  }, 300_000)
})
