/**
 * What the response handler makes of each kind of answer, with fakes of the router and the sitemap reader.
 */
import { beforeEach, describe, expect, it } from 'vitest'
import { entryOf, madeSite } from '../../../../test/kit/made-site.js'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { type SampleExchange, sampleExchange } from '../../../../test/kit/store-samples.js'
import { PackBuilder } from '../../../data/store/index.js'
import { type MetaInfo, probeMark, SeededRandom, sitemapMark } from '../../../model/index.js'
import type { FetchResult } from '../../../page/fetch/index.js'
import type { FrontierEntry } from '../../../page/frontier/index.js'
import { parsePage } from '../../../page/parse/index.js'
import { NO_PAGE_RULES } from '../../../page/robots/index.js'
import { type FetchOutcome, OpenPack } from '../pack/index.js'
import { Counters, PageFaults, type SiteCrawl } from '../site/index.js'
import { PageRecorder } from './page-recorder.js'
import { ResponseHandler, type ResponseHandlerParts } from './response-handler.js'

const PAGE = 'http://a.test/page'
const ENTRY = entryOf(PAGE)
const clock = new ManualClock()
let site: SiteCrawl
let pack: OpenPack
let steps: string[]

beforeEach(() => {
  site = madeSite({ clock })
  pack = new OpenPack('p', 'agent-1', 0, new PackBuilder({ agent: 'agent-1', records: null, tables: true }))
  steps = []
})

function newParts(overrides: Partial<ResponseHandlerParts> = {}) {
  const parts = {
    clock,
    random: new SeededRandom(1),
    counters: new Counters(),
    pack: () => pack,
    maxWaitMs: 600_000,
    isLocal: () => false,
    maxTries: Number.POSITIVE_INFINITY,
    faults: new PageFaults(() => {}),
    pageRules: () => NO_PAGE_RULES,
    keepsRows: true,
    router: {
      route: (_: SiteCrawl, __: OpenPack, ___: unknown, links: readonly string[]) => {
        steps.push(`route ${links}`)
        return { foreign: 0, rows: null }
      },
      redirect: (_: SiteCrawl, __: OpenPack, ___: unknown, target: string, hops: number) =>
        void steps.push(`redirect ${target} ${hops}`),
    },
    guest: null,
    readPage: null,
    parse: parsePage,
    sitemaps: {
      read: async (_: SiteCrawl, __: FrontierEntry, outcome: FetchOutcome) => {
        steps.push('sitemap')
        return { ...outcome, code: 'SITEMAP' }
      },
    },
    hosts: null,
    unlikelyName: () => 'none',
    assets: false,
    wantText: true,
    sent: null,
    wantAllLinks: true,
    archive: true,
    onSeedRedirect: (target: string) => void steps.push(`seed moved to ${target}`),
    ...overrides,
  }
  return { ...parts, recorder: new PageRecorder(parts) } as unknown as ResponseHandlerParts
}

const newHandler = (overrides: Partial<ResponseHandlerParts> = {}) => new ResponseHandler(newParts(overrides))

const came = (exchange: SampleExchange = {}): FetchResult => ({
  ok: true,
  exchange: sampleExchange({ url: PAGE, ...exchange }),
})
const outcomes = () =>
  Object.fromEntries(
    pack
      .cellFor(site)
      .toPackCell()
      .outcomes.map(({ code, count }) => [code, count]),
  )
const settled = () => pack.cellFor(site).toPackCell().settled

describe('a page that came', () => {
  it('is parsed, its links are routed, and it is in the pack as a page', async () => {
    const rawBody = Buffer.from('<a href=/x>x</a>')
    expect(await newHandler().handle(site, ENTRY, came({ rawBody }), undefined)).toBe(true)
    expect(steps).toEqual(['route http://a.test/x'])
    expect(pack.cellFor(site).toPackCell()).toMatchObject({ pages: 1, settled: 1 })
    expect(pack.builder.entries).toBe(1)
    expect(pack.requests).toBe(1)
    expect(site.pages).toBe(1)
  })

  it('not modified since the previous crawl counts as a page without being parsed', async () => {
    const known = { etag: '"1"', digest: 'd', storedAt: '', links: [], lastModified: '' }
    const result = came({ status: 304 })
    expect(await newHandler().handle(site, ENTRY, result, known as unknown as MetaInfo)).toBe(true)
    expect(steps).toEqual([])
    expect(outcomes()).toEqual({ NOT_MODIFIED: 1 })
  })

  it('for a second look at its links is not counted or stored twice', async () => {
    const again = entryOf(PAGE, { again: true })
    expect(await newHandler().handle(site, again, came(), undefined)).toBe(false)
    expect(steps).toHaveLength(1)
    expect(pack.cellFor(site).toPackCell()).toMatchObject({ pages: 0, settled: 1, outcomes: [] })
    expect(pack.builder.entries).toBe(0)
  })

  it('is shown to the reader only after it is in the pack', async () => {
    let entries = -1
    const readPage = async () => {
      entries = pack.builder.entries
    }
    await newHandler({ readPage }).handle(site, ENTRY, came(), undefined)
    expect(entries).toBe(1)
  })
})

describe('a failure where no server is asked', () => {
  it.each([503, 500, 429])('status %i is final, and the site neither waits nor fails', async status => {
    await newHandler({ isLocal: () => true }).handle(site, ENTRY, came({ status }), undefined)
    expect(settled()).toBe(1)
    expect(site.failures).toBe(0)
    expect(site.pace.waitUntil).toBe(0)
    expect(site.frontier.isEmpty).toBe(true)
  })
})

describe('a redirect', () => {
  const moved = () => came({ status: 301, headers: ['Location: /new'] })

  it('is settled, and its target goes on with one hop more', async () => {
    expect(await newHandler().handle(site, entryOf(PAGE, { hops: 2 }), moved(), undefined)).toBe(false)
    expect(steps).toEqual(['redirect http://a.test/new 3'])
    expect(outcomes()).toEqual({ REDIRECT: 1 })
  })

  it('of a seed widens the scope before its target is routed', async () => {
    await newHandler().handle(site, entryOf(PAGE, { depth: 0 }), moved(), undefined)
    expect(steps).toEqual(['seed moved to http://a.test/new', 'redirect http://a.test/new 1'])
  })
})

describe('a request that failed', () => {
  const refused: FetchResult = { ok: false, code: 'CONNECT_REFUSED', detail: 'refused' }

  it('is queued again while it has tries left, and has no outcome yet', async () => {
    expect(await newHandler().handle(site, ENTRY, refused, undefined)).toBe(false)
    expect(settled()).toBe(0)
    expect(site.frontier.nextReadyAt()).toBe(clock.now() + 5_000)
    expect(pack.requests).toBe(1)
    expect(site.failures).toBe(1)
  })

  it('for the last time is settled, and a site that never answered is given up', async () => {
    await newHandler().handle(site, entryOf(PAGE, { attempt: 3 }), refused, undefined)
    expect(outcomes()).toEqual({ CONNECT_REFUSED: 1 })
    expect(site.mode).toMatchObject({ is: 'giving-up', because: 'CONNECT_REFUSED' })
  })

  it('for the last time parks a site that has answered before, its URL still queued', async () => {
    site = madeSite({ clock, answered: true })
    await newHandler().handle(site, entryOf(PAGE, { attempt: 3 }), refused, undefined)
    expect(settled()).toBe(0)
    expect(site.mode).toMatchObject({ is: 'leaving', to: 'park' })
  })

  it('counts in a row until an answer comes', async () => {
    const handler = newHandler()
    await handler.handle(site, ENTRY, refused, undefined)
    await handler.handle(site, entryOf(`${PAGE}2`), refused, undefined)
    expect(site.failures).toBe(2)
    await handler.handle(site, entryOf(`${PAGE}3`), came(), undefined)
    expect(site.failures).toBe(0)
  })
})

describe('what is no page', () => {
  it('a sitemap is read by the sitemap handler and counts for no page', async () => {
    const entry = entryOf(sitemapMark('http://a.test/sitemap.xml'))
    expect(await newHandler().handle(site, entry, came(), undefined)).toBe(false)
    expect(steps).toEqual(['sitemap'])
    expect(pack.cellFor(site).toPackCell()).toMatchObject({ pages: 0, settled: 1 })
  })

  it('a probe is settled as one, and its links go nowhere', async () => {
    const rawBody = Buffer.from('<a href=/x>x</a>')
    await newHandler().handle(site, entryOf(probeMark(PAGE)), came({ rawBody }), undefined)
    expect(steps).toEqual([])
    expect(outcomes()).toEqual({ PROBE: 1 })
  })
})

it('a URL that is refused has its outcome without a request', () => {
  newParts().recorder.refuse(site, ENTRY, 'ROBOTS_DISALLOWED', 'line 2')
  expect(outcomes()).toEqual({ ROBOTS_DISALLOWED: 1 })
  expect(pack.requests).toBe(0)
})
