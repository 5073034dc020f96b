/** What is sent for a URL, and what it means that a request was cut off. */
import { beforeEach, describe, expect, it } from 'vitest'
import { entryOf, madeSite } from '../../../../test/kit/made-site.js'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { sampleExchange } from '../../../../test/kit/store-samples.js'
import { type MetaInfo, Stop, sitemapMark } from '../../../model/index.js'
import type { FetchRequest, FetchResult } from '../../../page/fetch/index.js'
import { type BegunRequest, LeaseMargin, type SitePace } from '../../../page/politeness/index.js'
import { Counters, type SiteCrawl } from '../site/index.js'
import { isOfOtherVersion, PageRequests } from './page-requests.js'

const RESET: FetchResult = { ok: false, code: 'RESET', detail: '' }
const LEASE_MS = 60_000
let clock: ManualClock
let leaseMargin: LeaseMargin
let counters: Counters
let sent: FetchRequest[]
let site: SiteCrawl

beforeEach(() => {
  clock = new ManualClock()
  leaseMargin = new LeaseMargin(clock, LEASE_MS, new Stop().signal)
  counters = new Counters()
  sent = []
  site = madeSite({ clock })
})

function newRequests(types: readonly string[] = [], recycles = true): PageRequests {
  const fetch = async (request: FetchRequest) => {
    sent.push(request)
    return RESET
  }
  return new PageRequests({
    fetcher: { fetch },
    leaseMargin,
    counters,
    types,
    sitemapBytes: 777,
    recycles,
  })
}

describe('a request', () => {
  const send = (requests: PageRequests, url: string) =>
    requests.send(site, entryOf(url), undefined, null, requests.signalOf(site))

  it('for a page names the types that are wanted, and counts', async () => {
    await send(newRequests(['text/html']), 'http://a.test/')
    expect(sent[0]).toMatchObject({ url: 'http://a.test/', types: ['text/html'], bodyBytes: undefined })
    expect([counters.fetches, site.inFlight, site.visits]).toEqual([1, 1, 1])
  })

  it('for a sitemap takes any type, and has a size limit of its own', async () => {
    await send(newRequests(['text/html']), sitemapMark('http://a.test/s.xml'))
    expect(sent[0]).toMatchObject({ url: 'http://a.test/s.xml', types: undefined, bodyBytes: 777 })
  })

  it('is aborted when its site is taken away', () => {
    const until = newRequests().signalOf(site)
    site.requestAbort.abort()
    expect(until.aborted).toBe(true)
  })
})

describe('a result', () => {
  const resultOf = (answer: FetchResult, begun: Partial<BegunRequest> | null = null, until = new Stop()) =>
    newRequests().resultOf(site, answer, begun as BegunRequest | null, until.signal)
  const aborted = () => {
    const until = new Stop()
    until.abort()
    return until
  }

  it('of a failure while the leases hold is that failure', () => {
    expect(resultOf(RESET)).toBe(RESET)
  })

  it('of a failure after the end of the leases is none: the request is sent again', () => {
    clock.advance(LEASE_MS)
    expect(resultOf(RESET)).toBeNull()
  })

  it('that came in time counts, also after the end of the leases', () => {
    clock.advance(LEASE_MS)
    const answer: FetchResult = { ok: true, exchange: sampleExchange({ url: 'http://a.test/' }) }
    expect(resultOf(answer)).toBe(answer)
  })

  it('of a request that was cut off at the swap of the phases depends on the time the server had', () => {
    site = madeSite({ clock, pace: { gate: { isShut: true } as SitePace['gate'] } })
    expect(resultOf(RESET, { wasFair: false }, aborted())).toBeNull()
    expect(resultOf(RESET, { wasFair: true }, aborted())).toMatchObject({ code: 'HEADERS_TOO_SLOW' })
  })
})

it('a 304 is of another version when its validators differ', () => {
  const known = { etag: '"1"', digest: 'd', lastModified: '' } as unknown as MetaInfo
  const answered = (status: number, etag: string): FetchResult => ({
    ok: true,
    exchange: sampleExchange({ url: 'http://a.test/', status, headers: [`ETag: ${etag}`] }),
  })
  expect(isOfOtherVersion(answered(304, '"2"'), known)).toBe(true)
  expect(isOfOtherVersion(answered(304, '"1"'), known)).toBe(false)
  expect(isOfOtherVersion(answered(200, '"2"'), known)).toBe(false)
})

it('a response is settled when it is released, and its body is kept where a reader may hold it', () => {
  const steps: string[] = []
  const exchange = {
    ...sampleExchange({ url: 'http://a.test/' }),
    settled: () => void steps.push('settled'),
    release: () => void steps.push('released'),
  }
  newRequests([], true).release({ ok: true, exchange })
  newRequests([], false).release({ ok: true, exchange })
  expect(steps).toEqual(['settled', 'released', 'settled'])
})
