/** The lane with a real queue; who judges, waits, fetches and records is played by the test. */
import { beforeEach, describe, expect, it } from 'vitest'
import { madeSite } from '../../../../test/kit/made-site.js'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { sampleExchange } from '../../../../test/kit/store-samples.js'
import { type MetaInfo, type OutcomeCode, Stop, sitemapMark } from '../../../model/index.js'
import type { FetchRequest, FetchResult } from '../../../page/fetch/index.js'
import { LeaseMargin } from '../../../page/politeness/index.js'
import { ENVOY_LOOK_MS } from '../../limits.js'
import { Counters, type OriginVerdict, type SiteCrawl } from '../site/index.js'
import type { EnvoyAnswer, Envoys } from './envoys.js'
import { Lane, type LaneParts } from './lane.js'
import { PageRequests, type PageRequestsParts } from './page-requests.js'
import { UrlRules } from './url-rules.js'

const ALLOWED: OriginVerdict = { allowed: true, crawlDelayMs: 0 }
const PAUSE = { ownMs: 0, groupMs: 0 }
const PAGE = 'http://a.test/page'

let clock: ManualClock
let stop: Stop
let leaseMargin: LeaseMargin
/** What the lane did, in order. */
let steps: string[]
let requests: FetchRequest[]
let site: SiteCrawl
let verdict: OriginVerdict | null
let answer: (request: FetchRequest) => FetchResult | Promise<FetchResult>
let hasRoom: () => boolean

beforeEach(() => {
  clock = new ManualClock()
  stop = new Stop()
  leaseMargin = new LeaseMargin(clock, 60_000, stop.signal)
  steps = []
  requests = []
  verdict = ALLOWED
  hasRoom = () => true
  answer = ({ url }) => ({ ok: true, exchange: sampleExchange({ url }) })
  site = madeSite({ clock, originRobots: { judge: () => verdict } })
})

const queue = (...urls: string[]) => {
  for (const url of urls) site.frontier.offer({ url, depth: 1, hops: 0, score: 0, via: '' })
}

/** What the lane, its rules and its requests are made of. */
type Parts = LaneParts & PageRequestsParts & { maxDepth: number; isBlacklisted: () => boolean }
type Overrides = { [Part in keyof Parts]?: Partial<Parts[Part]> | Parts[Part] }

function newLane(overrides: Overrides = {}): Lane {
  const note = (step: string) => void steps.push(step)
  const parts = {
    clock,
    fetcher: {
      fetch: async (request: FetchRequest) => {
        note('fetch')
        requests.push(request)
        return answer(request)
      },
    },
    recorder: {
      refuse: (_: SiteCrawl, __: unknown, code: OutcomeCode) => note(`refuse ${code}`),
    },
    responseHandler: {
      handle: async (_: SiteCrawl, __: unknown, result: FetchResult) => {
        note(result.ok ? 'handle' : `handle ${result.code}`)
        return result.ok
      },
    },
    qualifier: {
      verdictNow: () => verdict,
      verdictOf: async () => {
        note('qualify')
        return ALLOWED
      },
    },
    transmitter: {
      hasRoom: () => hasRoom(),
      shipped: async () => note('shipped'),
      poke: () => note('poke'),
      pack: { cellFor: () => ({ passedOver: () => {} }) },
    },
    budget: {
      takeNow: () => true,
      take: async () => false,
      refund: () => note('refund'),
    },
    politeness: {
      tooLong: () => '',
      pauseOf: () => PAUSE,
      isFarOff: () => false,
      mayRead: () => true,
      turnNow: () => {
        note('turn')
        return true
      },
      answered: () => note('answered'),
      pass: () => note('pass'),
    },
    leaseMargin,
    counters: new Counters(),
    settings: { delay: 0, maxCrawlDelayMs: 0, connectionsPerSite: 1, paused: false },
    maxDepth: 3,
    types: [],
    sitemapBytes: 777,
    isLocal: () => false,
    envoys: null,
    metaOf: null,
    offerSitemaps: () => {},
    isBlacklisted: () => false,
    endsSlice: () => false,
    recycles: true,
    signal: stop.signal,
    ...overrides,
  }
  const sender = new PageRequests(parts as unknown as PageRequestsParts)
  const rules = new UrlRules(parts.maxDepth as number, parts.isBlacklisted as () => boolean)
  return new Lane({ ...parts, requests: sender, rules } as unknown as LaneParts)
}

describe('a URL that is due', () => {
  it('goes through turn, fetch and response handler, and the pack is looked at after it', async () => {
    queue(PAGE)
    await newLane().crawl(site)
    expect(steps).toEqual(['turn', 'fetch', 'answered', 'handle', 'poke'])
    expect(requests[0]).toMatchObject({ url: PAGE, holdsBody: true })
    expect(site.frontier.isEmpty).toBe(true)
  })

  it('needs no turn, and no Crawl-delay is too long, where no server is asked', async () => {
    verdict = { allowed: true, crawlDelayMs: 3_600_000 }
    queue(PAGE, sitemapMark(`${PAGE}.xml`))
    const local: string[] = []
    const isLocal = (url: string) => local.push(url) > 0
    await newLane({ isLocal } as Overrides).crawl(site)
    expect(steps).toEqual(['fetch', 'handle', 'poke', 'fetch', 'handle', 'poke'])
    expect(local).toEqual([PAGE, `${PAGE}.xml`])
  })

  it('waits for its lease where no server is asked, and stays queued when the site is left', async () => {
    queue(PAGE)
    const politeness = { mayRead: () => false, untilRead: async () => false }
    await newLane({ isLocal: () => true, politeness } as unknown as Overrides).crawl(site)
    expect(steps).toEqual(['refund', 'poke'])
  })

  it('is fetched only after its origin was judged', async () => {
    verdict = null
    queue(PAGE)
    await newLane().crawl(site)
    expect(steps.slice(0, 3)).toEqual(['qualify', 'turn', 'fetch'])
  })

  it('stays unsettled when the qualifier has no verdict', async () => {
    verdict = null
    queue(PAGE)
    await newLane({ qualifier: { verdictNow: () => null, verdictOf: async () => null } }).crawl(site)
    expect(steps).toEqual(['poke'])
  })

  it.each([
    ['robots.txt forbids it', 'ROBOTS_DISALLOWED', {}],
    ['its site is blacklisted', 'BLACKLISTED', { isBlacklisted: () => true }],
    ['it is too deep', 'TOO_DEEP', { maxDepth: 0 }],
    [
      'the Crawl-delay is too long',
      'CRAWL_DELAY_TOO_LONG',
      { politeness: { tooLong: () => 'an hour', pauseOf: () => PAUSE } },
    ],
  ] as const)('is refused without a request when %s', async (_, code, overrides) => {
    if (code === 'ROBOTS_DISALLOWED') verdict = { allowed: false, code, detail: '' }
    queue(PAGE)
    await newLane(overrides as Overrides).crawl(site)
    expect(steps).toEqual([`refuse ${code}`, 'poke'])
  })

  it('is refused without a request when its site is given up', async () => {
    site.giveUp('DNS_NOT_FOUND', 'no such name')
    queue(PAGE, `${PAGE}2`)
    await newLane().crawl(site)
    expect(steps).toEqual(['refuse SITE_DROPPED', 'poke', 'refuse SITE_DROPPED', 'poke'])
  })

  it('waits for room in the pack before it leaves the queue', async () => {
    let full = 2
    hasRoom = () => full-- <= 0
    queue(PAGE)
    await newLane().crawl(site)
    expect(steps.slice(0, 3)).toEqual(['shipped', 'shipped', 'turn'])
  })
})

describe('the page budget', () => {
  it('is given back when what came is not a page', async () => {
    answer = () => ({ ok: false, code: 'CONNECT_REFUSED', detail: '' })
    queue(PAGE)
    await newLane().crawl(site)
    expect(steps).toEqual(['turn', 'fetch', 'answered', 'handle CONNECT_REFUSED', 'refund', 'poke'])
  })

  it('once used up ends the visit without a request, and the site is left', async () => {
    queue(PAGE, `${PAGE}2`)
    await newLane({ budget: { takeNow: () => false, take: async () => false } }).crawl(site)
    expect(requests).toEqual([])
    expect(site.mode).toMatchObject({ is: 'leaving', to: 'stop' })
  })

  it('is not needed for a sitemap, which has a size limit of its own', async () => {
    queue(sitemapMark('http://a.test/sitemap.xml'))
    await newLane({ budget: { takeNow: () => false, take: async () => false } }).crawl(site)
    expect(requests).toMatchObject([{ url: 'http://a.test/sitemap.xml', bodyBytes: 777 }])
  })
})

describe('a visit that ends before its time', () => {
  it('leaves the URL unsettled when the agent stops during the request', async () => {
    answer = () => {
      stop.abort()
      return { ok: false, code: 'RESET', detail: '' }
    }
    queue(PAGE)
    await newLane().crawl(site)
    expect(steps).toEqual(['turn', 'fetch', 'answered', 'refund', 'poke'])
  })

  it('leaves the URL unsettled when the cell is lost during the request', async () => {
    answer = ({ url }) => {
      site.leave('lost')
      return { ok: true, exchange: sampleExchange({ url }) }
    }
    queue(PAGE)
    await newLane().crawl(site)
    expect(steps).not.toContain('handle')
  })

  it('is asked again when the leases ended during the request and were renewed', async () => {
    const first = () => {
      clock.advance(59_000)
      answer = ({ url }) => ({ ok: true, exchange: sampleExchange({ url }) })
      return { ok: false, code: 'RESET', detail: '' } as const
    }
    answer = first
    queue(PAGE)
    await newLane().crawl(site)
    expect(steps).toEqual(['turn', 'fetch', 'answered', 'turn', 'fetch', 'answered', 'handle', 'poke'])
  })

  it('gives the turn back when the site is left while it waits', async () => {
    queue(PAGE)
    const leaves = {
      tooLong: () => '',
      pauseOf: () => PAUSE,
      isFarOff: () => false,
      turnNow: () => {
        site.leave('slice')
        return true
      },
      pass: () => void steps.push('pass'),
    }
    await newLane({ politeness: leaves }).crawl(site)
    expect(steps).toEqual(['pass', 'refund', 'poke'])
  })
})

describe('a page that the previous crawl knew', () => {
  const known = { etag: '"1"', digest: 'd', lastModified: '' } as unknown as MetaInfo

  it('is asked for unconditionally when the 304 speaks of another version', async () => {
    answer = request => {
      const isFirst = requests.length === 1
      const headers = ['ETag: "2"']
      return {
        ok: true,
        exchange: sampleExchange({ url: request.url, status: isFirst ? 304 : 200, headers }),
      }
    }
    queue(PAGE)
    await newLane({ metaOf: async () => known }).crawl(site)
    expect(requests).toHaveLength(2)
    expect(requests[0]!.known).toBe(known)
    expect(requests[1]!.known).toMatchObject({ etag: '' })
    expect(steps.filter(step => step === 'handle')).toHaveLength(1)
  })
})

describe('a site with several connections', () => {
  it('has at most that many requests under way', async () => {
    let underWay = 0
    let most = 0
    answer = async ({ url }) => {
      most = Math.max(most, ++underWay)
      await new Promise(setImmediate)
      underWay--
      return { ok: true, exchange: sampleExchange({ url }) }
    }
    queue(...Array.from({ length: 12 }, (_, i) => `${PAGE}${i}`))
    const settings = { delay: 0, maxCrawlDelayMs: 0, connectionsPerSite: 3, paused: false }
    await newLane({ settings }).crawl(site)
    expect(most).toBe(3)
    expect(requests).toHaveLength(12)
  })

  it('is left when its slice ends, with the rest still queued', async () => {
    queue(PAGE, `${PAGE}2`)
    await newLane({ endsSlice: () => true }).crawl(site)
    expect(requests).toHaveLength(1)
    expect(site.frontier.size).toBe(1)
  })
})

it('the body of a response is released once it is settled', async () => {
  const released: string[] = []
  answer = ({ url }) => ({
    ok: true,
    exchange: sampleExchange({
      url,
      settled: () => void released.push('settled'),
      release: () => void released.push('released'),
    }),
  })
  queue(PAGE)
  await newLane({
    responseHandler: {
      handle: async () => {
        released.push('handled')
        return true
      },
    },
  }).crawl(site)
  expect(released).toEqual(['handled', 'settled', 'released'])
})

describe('a site with a host', () => {
  const envoysWith = (more: Partial<Envoys>): Envoys => ({
    mayBegin: () => false,
    begin: async () => void steps.push('begin'),
    answer: async () => ({ is: 'server' }),
    hasReturned: () => false,
    end: async () => {},
    ...more,
  })
  const response: EnvoyAnswer = { is: 'response', result: { ok: true, exchange: sampleExchange() } }

  it('is sent no request for what its tour has brought', async () => {
    queue(PAGE)
    await newLane({ envoys: envoysWith({ answer: async () => response }) }).crawl(site)
    expect(steps).toEqual(['handle', 'poke'])
  })

  it('has its turn when a tour begins', async () => {
    queue(PAGE)
    await newLane({ envoys: envoysWith({ mayBegin: () => true, answer: async () => response }) }).crawl(site)
    expect(steps).toEqual(['turn', 'pass', 'begin', 'handle', 'poke'])
  })

  it('is asked by its server for the rest', async () => {
    queue(PAGE)
    await newLane({ envoys: envoysWith({}) }).crawl(site)
    expect(steps).toEqual(['turn', 'fetch', 'answered', 'handle', 'poke'])
  })

  it('keeps what only its server can answer until the tour is over', async () => {
    queue(PAGE)
    await newLane({ envoys: envoysWith({ answer: async () => ({ is: 'later' }) }) }).crawl(site)
    expect(steps).toEqual(['poke'])
    expect(site.frontier.nextReadyAt()).toBe(clock.now() + ENVOY_LOOK_MS)
  })

  it('has its pause after the last request of the host', async () => {
    queue(PAGE)
    const since: number[] = []
    site = madeSite({
      clock,
      originRobots: { judge: () => verdict },
      pace: { prolong: (_, from) => void since.push(from) },
    })
    queue(PAGE)
    await newLane({ envoys: envoysWith({ hasReturned: () => true }) }).crawl(site)
    expect(since).toEqual([clock.now()])
  })

  it('is left when the budget has no page for what has come', async () => {
    queue(PAGE)
    const budget = { takeNow: () => false, take: async () => false }
    await newLane({ budget, envoys: envoysWith({ answer: async () => response }) }).crawl(site)
    expect(steps).toEqual(['poke'])
    expect(site.mode).toMatchObject({ is: 'leaving', to: 'stop' })
  })
})
