/** Where each link of a page goes: a real queue and a real pack, everything else played by the test. */
import { beforeEach, describe, expect, it } from 'vitest'
import { madeSite } from '../../../../test/kit/made-site.js'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { PackBuilder } from '../../../data/store/index.js'
import { LIMITS, LinkKind, SplitCells, sitemapMark } from '../../../model/index.js'
import { Scope } from '../../../page/frontier/scope/index.js'
import type { Rating } from '../../../page/guest/index.js'
import { OpenPack, SentLinks } from '../pack/index.js'
import { PageFaults, type SiteCrawl } from '../site/index.js'
import { Admission } from './admission.js'
import type { Ratings } from './link-rater.js'
import { Router, type RouterParts } from './router.js'

const PAGE = { url: 'http://a.test/', depth: 2 }
const clock = new ManualClock()
let site: SiteCrawl
let pack: OpenPack
let sent: SentLinks
let logged: string[]

beforeEach(() => {
  site = madeSite({ clock })
  pack = new OpenPack('p', 'agent-1', 0, new PackBuilder({ agent: 'agent-1', records: null, tables: true }))
  sent = new SentLinks(1)
  logged = []
})

function newRouter(overrides: Partial<RouterParts> = {}): Router {
  const faults = new PageFaults(event => void logged.push(event))
  return new Router({
    scope: new Scope({ seeds: [PAGE.url], kind: 'any', include: [], exclude: [] }),
    faults,
    cells: new SplitCells(),
    sent,
    assets: false,
    obeysNofollow: true,
    admission: new Admission(() => {}, faults),
    hosts: null,
    dropsSessionIds: false,
    linkRows: 'foreign',
    ...overrides,
  })
}

const route = (
  router: Router,
  links: readonly string[],
  kinds = new Uint8Array(links.length),
  follow = true,
  ratings: Ratings | null = null,
) => router.route(site, pack, PAGE, links, kinds, follow, ratings)
/** Links on their way to other cells. */
const appended = () => [...pack.cellFor(site).appends].map(([url, { cell }]) => `${cell} ${url}`)
const queued = () => {
  const urls: string[] = []
  for (let entry = site.frontier.next(1e15); entry !== null; entry = site.frontier.next(1e15))
    urls.push(`${entry.url} ${entry.depth}`)
  return urls
}
const outcomes = () =>
  Object.fromEntries(
    pack
      .cellFor(site)
      .toPackCell()
      .outcomes.map(({ code, count }) => [code, count]),
  )

describe('a link of a page', () => {
  it('to its own cell joins the queue one step deeper, and is in the journal', () => {
    expect(route(newRouter(), ['http://a.test/x'])).toEqual({ foreign: 0, rows: null })
    expect(queued()).toEqual(['http://a.test/x 3'])
    expect(appended()).toEqual([])
    expect(pack.cellFor(site).toPackCell().discovered).toBe(1)
  })

  it('to another cell is sent with the pack of its page, and has a row', () => {
    const routed = route(newRouter(), ['http://b.test/x'])
    expect(routed).toMatchObject({ foreign: 1, rows: { targets: ['http://b.test/x'] } })
    expect(appended()).toEqual(['b.test http://b.test/x'])
    expect(site.frontier.isEmpty).toBe(true)
  })

  it('to a part of its own site that another cell holds is sent there', () => {
    site = madeSite({ clock, part: url => url < 'http://a.test/m' })
    route(newRouter(), ['http://a.test/b', 'http://a.test/z'])
    expect(queued()).toEqual(['http://a.test/b 3'])
    expect(appended()).toEqual(['a.test http://a.test/z'])
  })

  it('is queued once, however often it stands there', () => {
    route(newRouter(), ['http://a.test/x', 'http://a.test/x'])
    expect(queued()).toHaveLength(1)
  })

  it('that is durable in the other inbox already is not sent again', () => {
    sent.add('http://b.test/x')
    route(newRouter(), ['http://b.test/x', 'http://b.test/y', 'http://b.test/y'])
    expect(appended()).toEqual(['b.test http://b.test/y'])
  })

  it('out of scope goes nowhere', () => {
    const scope = new Scope({ seeds: [PAGE.url], kind: 'host', include: [], exclude: [] })
    route(newRouter({ scope }), ['http://b.test/x', 'http://a.test/x'])
    expect(appended()).toEqual([])
    expect(queued()).toEqual(['http://a.test/x 3'])
  })

  it('that is too long is counted once and not queued', () => {
    const long = `http://a.test/${'x'.repeat(LIMITS.urlChars)}`
    route(newRouter(), [long, long])
    expect(outcomes()).toEqual({ URL_TOO_LONG: 1 })
    expect(site.frontier.isEmpty).toBe(true)
  })
})

describe('nofollow', () => {
  const nofollow = Uint8Array.of(LinkKind.nofollow, 0)
  const links = ['http://a.test/no', 'http://a.test/yes']

  it('on a link keeps that link out', () => {
    route(newRouter(), links, nofollow)
    expect(queued()).toEqual(['http://a.test/yes 3'])
  })

  it('on a page keeps all its links out', () => {
    route(newRouter(), links, new Uint8Array(2), false)
    expect(queued()).toEqual([])
  })

  it('counts for nothing where robots are ignored', () => {
    route(newRouter({ obeysNofollow: false }), links, nofollow, false)
    expect(queued()).toHaveLength(2)
  })
})

describe('what a page needs to be shown', () => {
  const scope = () => new Scope({ seeds: [PAGE.url], kind: 'host', include: [], exclude: [] })
  const requisite = Uint8Array.of(LinkKind.requisite)

  it('is fetched from outside the scope, even from a page that says nofollow', () => {
    route(newRouter({ scope: scope(), assets: true }), ['http://cdn.test/logo.png'], requisite, false)
    expect(appended()).toEqual(['cdn.test http://cdn.test/logo.png'])
  })

  it('is not fetched from a blacklisted site', () => {
    const blacklisting = scope()
    blacklisting.setBlacklist(['cdn.test'])
    route(newRouter({ scope: blacklisting, assets: true }), ['http://cdn.test/logo.png'], requisite)
    expect(appended()).toEqual([])
  })
})

describe('the target of a redirect', () => {
  it('is as deep as its source and one hop on', () => {
    newRouter().redirect(site, pack, PAGE, 'http://a.test/new', 1)
    expect(site.frontier.next(1e15)).toMatchObject({
      url: 'http://a.test/new',
      depth: 2,
      hops: 1,
      via: PAGE.url,
    })
  })
})

describe('a sitemap', () => {
  it('joins the queue as a marked URL', () => {
    newRouter().sitemap(site, pack, 'http://a.test/sitemap.xml', 0, 'http://a.test/robots.txt')
    expect(site.frontier.next(1e15)).toMatchObject({ url: sitemapMark('http://a.test/sitemap.xml') })
  })
})

describe('the ratings of a guest', () => {
  const rated = (router: Router, ratings: Readonly<Record<string, Rating>>) =>
    route(router, Object.keys(ratings), undefined, true, new Map(Object.entries(ratings)))

  it('keep a link out, or say how soon it is fetched', () => {
    rated(newRouter(), { 'http://a.test/no': null, 'http://a.test/yes': 0.5 })
    expect(site.frontier.next(1e15)).toMatchObject({ url: 'http://a.test/yes', score: 0.5 })
    expect(site.frontier.isEmpty).toBe(true)
  })

  it('that failed keep only that link out, counted and logged', () => {
    const failure = { code: 'GUEST_THREW', detail: 'score: Error: no table' } as const
    rated(newRouter(), { 'http://a.test/bad': failure, 'http://a.test/good': 0 })
    expect(queued()).toEqual(['http://a.test/good 3'])
    expect(outcomes()).toEqual({ GUEST_THREW: 1 })
    expect(logged).toEqual(['guest failed'])
  })

  it('are asked for links that are new and may be followed, once each', () => {
    const router = newRouter({ dropsSessionIds: true, obeysNofollow: true })
    const links = ['http://a.test/new', 'http://a.test/old', 'http://b.test/x', 'http://a.test/nofollow']
    route(router, ['http://a.test/old'])
    sent.add('http://b.test/x')
    const kinds = Uint8Array.from([
      LinkKind.anchor,
      LinkKind.anchor,
      LinkKind.anchor,
      LinkKind.anchor | LinkKind.nofollow,
    ])
    expect(router.newLinks(site, pack, PAGE, links, kinds, true)).toEqual(['http://a.test/new'])
    expect(router.newLinks(site, pack, PAGE, links, kinds, false)).toEqual([])
  })
})

describe('rows of the links table', () => {
  const links = ['http://a.test/x', 'http://b.test/y']

  it.each([
    ['all', links],
    ['foreign', ['http://b.test/y']],
    ['none', undefined],
  ] as const)('with %s are those that were asked for', (linkRows, expected) => {
    expect(route(newRouter({ linkRows }), links).rows?.targets).toEqual(expected)
  })
})
