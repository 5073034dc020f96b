/** The qualifier with the real robots procedure and state; network, turns and politeness are the test's. */
import { beforeEach, describe, expect, it } from 'vitest'
import { entryOf, madeSite } from '../../../../test/kit/made-site.js'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { sampleExchange } from '../../../../test/kit/store-samples.js'
import type { Ledger, OriginState } from '../../../ledger/index.js'
import { LIMITS, Stop } from '../../../model/index.js'
import type { FetchResult } from '../../../page/fetch/index.js'
import { LeaseMargin } from '../../../page/politeness/index.js'
import { OriginRobots, PageFaults, type SiteCrawl } from '../site/index.js'
import { Qualifier, type QualifierParts } from './qualifier.js'

const ORIGIN = 'http://a.test'
const ENTRY = entryOf(`${ORIGIN}/page`)
const PAUSE = { ownMs: 0, groupMs: 0 }

let clock: ManualClock
let stop: Stop
let site: SiteCrawl
let steps: string[]
let saved: OriginState[]
let answer: () => FetchResult

beforeEach(() => {
  clock = new ManualClock()
  stop = new Stop()
  steps = []
  saved = []
  answer = () => robots('User-agent: *\nDisallow: /private\n')
  site = newSite()
})

const robots = (text: string): FetchResult => {
  const exchange = sampleExchange({
    url: `${ORIGIN}/robots.txt`,
    rawBody: Buffer.from(text),
    headers: ['Content-Type: text/plain'],
  })
  return { ok: true, exchange: { ...exchange, settled: () => void steps.push('settled') } }
}

function newSite(states: readonly OriginState[] = []): SiteCrawl {
  const ledger = {
    saveOrigin: async (_: string, state: OriginState) => {
      steps.push('saved')
      saved.push(state)
    },
  } as unknown as Ledger
  const settings = {
    mode: 'strict',
    productToken: 'orbweaver',
    retryMs: 60_000,
    isLocal: () => false,
    maxTries: 3,
    maxFailures: 3,
    recheckMs: 86_400_000,
    runStartedAt: 0,
  } as const
  const faults = new PageFaults(() => {})
  const originRobots = new OriginRobots({ cell: 'a.test', ledger, clock, faults, settings }, states)
  const pace = {
    prolong: (ownMs: number) => void steps.push(`prolong ${ownMs}`),
    done: () => {},
  }
  return madeSite({ clock, originRobots, pace })
}

function newQualifier(overrides: Partial<QualifierParts> = {}): Qualifier {
  const parts = {
    clock,
    fetcher: {
      fetch: async () => {
        steps.push('fetch')
        return answer()
      },
      resolve: async () => ['192.0.2.1'],
    },
    politeness: {
      pauseOf: () => PAUSE,
      isFarOff: () => false,
      untilRead: async () => true,
      turnNow: () => {
        steps.push('turn')
        return true
      },
      pass: () => void steps.push('pass'),
      tooLong: () => '',
      oneMore: async () => {},
      afterRobots: () => PAUSE,
    },
    turns: {},
    leaseMargin: new LeaseMargin(clock, 600_000, stop.signal),
    phases: null,
    mode: 'strict',
    isLocal: () => false,
    maxWaitMs: 600_000,
    announce: () => {},
    archive: { add: async () => void steps.push('archived') },
    log: () => {},
    signal: stop.signal,
    ...overrides,
  }
  return new Qualifier(parts as unknown as QualifierParts)
}

const state = (more: Partial<OriginState>): OriginState => ({
  origin: ORIGIN,
  checkedAt: clock.now(),
  failures: 0,
  verdict: 'allow-all',
  status: 404,
  detail: '',
  body: new Uint8Array(),
  ...more,
})

describe('an origin that is not known', () => {
  it('is asked in turn; its rules are durable and archived before the verdict', async () => {
    expect(await newQualifier().verdictOf(site, ENTRY)).toEqual({ allowed: true, crawlDelayMs: 0 })
    expect(steps).toEqual(['turn', 'fetch', 'saved', 'prolong 0', 'archived', 'settled'])
    expect(saved).toMatchObject([{ origin: ORIGIN, verdict: 'rules' }])
  })

  it('is read without a turn, and its Crawl-delay slows nobody, where no server is asked', async () => {
    const qualifier = newQualifier({ isLocal: () => true })
    expect(await qualifier.verdictOf(site, ENTRY)).toEqual({ allowed: true, crawlDelayMs: 0 })
    expect(steps).toEqual(['fetch', 'saved', 'archived', 'settled'])
  })

  it('is asked once for all who wait', async () => {
    const qualifier = newQualifier()
    const entries = [ENTRY, entryOf(`${ORIGIN}/private/x`), entryOf(`${ORIGIN}/b`)]
    const verdicts = await Promise.all(entries.map(entry => qualifier.verdictOf(site, entry)))
    expect(verdicts.map(verdict => verdict?.allowed)).toEqual([true, false, true])
    expect(steps.filter(step => step === 'fetch')).toHaveLength(1)
  })

  it('is not asked, and its URL stays unsettled, when the site is left', async () => {
    site.leave('slice')
    expect(await newQualifier().verdictOf(site, ENTRY)).toBeNull()
    expect(steps).toEqual([])
  })

  it('is not asked when the agent stops while it waits for the turn: the turn is given back', async () => {
    const qualifier = newQualifier({
      politeness: {
        pauseOf: () => PAUSE,
        isFarOff: () => false,
        turnNow: () => {
          stop.abort()
          return true
        },
        pass: () => void steps.push('pass'),
      } as unknown as QualifierParts['politeness'],
    })
    expect(await qualifier.verdictOf(site, ENTRY)).toBeNull()
    expect(steps).toEqual(['pass'])
  })
})

describe('the rules of an origin', () => {
  it('prolong the pause of the site by the Crawl-delay', async () => {
    answer = () => robots('User-agent: *\nCrawl-delay: 7\n')
    expect(await newQualifier().verdictOf(site, ENTRY)).toEqual({ allowed: true, crawlDelayMs: 7_000 })
    expect(steps).toContain('prolong 7000')
  })

  it('are asked for again once they are old', async () => {
    site = newSite([state({ checkedAt: clock.now() - 90_000_000 })])
    await newQualifier().verdictOf(site, ENTRY)
    expect(steps).toContain('fetch')
  })
})

describe('an origin that cannot be judged now', () => {
  it('parks the site when the wait is longer than allowed', async () => {
    site = newSite([state({ verdict: 'unavailable', failures: 1 })])
    expect(await newQualifier({ maxWaitMs: 59_999 }).verdictOf(site, ENTRY)).toBeNull()
    expect(site.mode).toMatchObject({ is: 'leaving', to: 'park', until: clock.now() + 60_000 })
    expect(steps).toEqual([])
  })

  it('sets only its own URL aside where another origin of the site is open', async () => {
    const waits = state({ verdict: 'unavailable', failures: 1 })
    site = newSite([waits, state({ origin: 'https://a.test' })])
    expect(await newQualifier().verdictOf(site, ENTRY)).toBeNull()
    expect(site.mode).toEqual({ is: 'crawling' })
    expect(site.frontier.nextReadyAt()).toBe(clock.now() + 60_000)
  })

  it('sets a bounded number of URLs aside, then the site waits', async () => {
    site = newSite([state({ verdict: 'unavailable', failures: 1 }), state({ origin: 'https://a.test' })])
    const qualifier = newQualifier({ maxWaitMs: 0 })
    for (let i = 0; i < LIMITS.robotsSetAside; i++) await qualifier.verdictOf(site, entryOf(`${ORIGIN}/${i}`))
    expect(site.mode).toEqual({ is: 'crawling' })
    expect(await qualifier.verdictOf(site, ENTRY)).toBeNull()
    expect(site.mode).toMatchObject({ is: 'leaving', to: 'park' })
  })

  it('lends its lane while it waits, and is asked again after the wait', async () => {
    site = newSite([state({ verdict: 'unavailable', failures: 1 })])
    const verdict = newQualifier().verdictOf(site, ENTRY)
    expect(site.lane.isHeld).toBe(false)
    for (let i = 0; i < 60; i++) {
      clock.advance(1_000)
      await new Promise(setImmediate)
    }
    expect(await verdict).toMatchObject({ allowed: true })
    expect(site.lane.isHeld).toBe(true)
  })
})
