import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import type { Ledger } from '../../../ledger/index.js'
import { openSqliteLedger } from '../../../ledger/sqlite/index.js'
import { type Qualification, RobotsRules } from '../../../page/robots/index.js'
import { OriginRobots, type OriginRobotsSettings } from './origin-robots.js'
import { PageFaults } from './page-faults.js'

const HOUR = 3_600_000
const ORIGIN = 'http://a.test'
const PAGE = `${ORIGIN}/page`

let clock: ManualClock
let ledger: Ledger
let logged: string[]

beforeEach(() => {
  clock = new ManualClock()
  logged = []
  const path = join(mkdtempSync(join(tmpdir(), 'orb-gate-')), 'ledger.db')
  ledger = openSqliteLedger(path, { create: true, now: () => clock.now() })
})
afterEach(() => ledger.close())

/** A gate as a lease opens it, from what the ledger knows. */
async function originRobots(settings: Partial<OriginRobotsSettings> = {}): Promise<OriginRobots> {
  const all: OriginRobotsSettings = {
    mode: 'strict',
    productToken: 'orbweaver',
    retryMs: HOUR,
    maxFailures: 3,
    isLocal: () => false,
    maxTries: 10,
    recheckMs: 24 * HOUR,
    runStartedAt: 0,
    ...settings,
  }
  const faults = new PageFaults(event => void logged.push(event))
  const states = await ledger.loadOrigins('a.test')
  return new OriginRobots({ cell: 'a.test', ledger, clock, faults, settings: all }, states)
}

function found(verdict: Qualification['verdict'], more: Partial<Qualification> = {}): Qualification {
  const code = verdict === 'unreachable' ? 'CONNECT_REFUSED' : 'ROBOTS_UNAVAILABLE'
  const fact = { status: 0, detail: 'why', body: new Uint8Array(), retryAfterMs: null, failedRounds: 2 }
  return { verdict, code, ...fact, problems: [], exchanges: [], ...more }
}
const rules = (text: string): Qualification => found('rules', { status: 200, body: Buffer.from(text) })

describe('an origin', () => {
  test('has to be qualified before anything is asked of it', async () => {
    expect((await originRobots()).judge(PAGE)).toBe(null)
    expect((await originRobots({ mode: 'ignore' })).judge(PAGE)).toMatchObject({ allowed: true })
  })

  test('is given up at once if no server is asked: a file says the same every time', async () => {
    const opened = await originRobots({ isLocal: url => url === `${ORIGIN}/robots.txt` })
    await opened.learn(ORIGIN, found('unavailable', { status: 503 }))
    expect(opened.judge(PAGE)).toEqual({ allowed: false, code: 'ROBOTS_GIVEN_UP', detail: 'why' })
  })

  test('is judged by its own rules: http and https apart', async () => {
    const opened = await originRobots()
    await opened.learn(ORIGIN, rules('User-agent: *\nDisallow: /page\nCrawl-delay: 2'))
    expect(opened.judge(PAGE)).toEqual({
      allowed: false,
      code: 'ROBOTS_DISALLOWED',
      detail: 'robots.txt line 2: Disallow: /page',
    })
    expect(opened.judge(`${ORIGIN}/other`)).toEqual({ allowed: true, crawlDelayMs: 2_000 })
    expect(opened.judge('https://a.test/page')).toBe(null)
    await opened.learn('https://a.test', found('unavailable', { status: 503 }))
    expect(opened.judge(`${ORIGIN}/other`)).toMatchObject({ allowed: true })
    expect(opened.judge('https://a.test/other')).toMatchObject({ code: 'ROBOTS_UNAVAILABLE' })
    expect(opened.isOpen).toBe(true)
  })

  test('is qualified anew after a day, and rules that changed apply', async () => {
    const opened = await originRobots()
    await opened.learn(ORIGIN, found('allow-all', { status: 404 }))
    clock.advance(24 * HOUR - 1)
    expect(opened.judge(PAGE)).toMatchObject({ allowed: true })
    clock.advance(1)
    expect(opened.judge(PAGE)).toBe(null)
    expect(opened.isOpen).toBe(false)
    await opened.learn(ORIGIN, rules('User-agent: orbweaver\nDisallow: /'))
    expect(opened.judge(PAGE)).toMatchObject({ code: 'ROBOTS_DISALLOWED' })
    clock.advance(24 * HOUR)
    expect(opened.judge(PAGE)).toBe(null)
    await opened.learn(ORIGIN, found('unreachable'))
    expect(opened.judge(PAGE)).toMatchObject({ code: 'ROBOTS_UNAVAILABLE', until: clock.now() + HOUR })
  })
})

describe('an origin that could not be judged', () => {
  test('is asked again after the retry interval, given up after so many failures, and never asked again', async () => {
    const opened = await originRobots()
    for (let failures = 1; failures < 3; failures++) {
      await opened.learn(ORIGIN, found('unavailable', { status: 503 }))
      const until = clock.now() + HOUR
      expect(opened.judge(PAGE)).toEqual({ allowed: false, code: 'ROBOTS_UNAVAILABLE', detail: 'why', until })
      clock.advance(HOUR)
      expect(opened.judge(PAGE)).toBe(null)
    }
    await opened.learn(ORIGIN, found('unavailable', { status: 503 }))
    clock.advance(1_000 * HOUR)
    const givenUp = { allowed: false, code: 'ROBOTS_GIVEN_UP', detail: 'why' }
    expect(opened.judge(PAGE)).toEqual(givenUp)
    expect((await originRobots({ runStartedAt: clock.now() })).judge(PAGE)).toEqual(givenUp)
  })

  test('starts from zero failures once it was judged', async () => {
    const opened = await originRobots({ maxFailures: 2 })
    await opened.learn(ORIGIN, found('unavailable'))
    await opened.learn(ORIGIN, found('allow-all', { status: 410 }))
    await opened.learn(ORIGIN, found('unavailable'))
    expect(opened.judge(PAGE)).toMatchObject({ code: 'ROBOTS_UNAVAILABLE' })
    expect(await ledger.loadOrigins('a.test')).toMatchObject([{ failures: 1, checkedAt: clock.now() }])
  })

  test('is remembered by the ledger: the date and the count survive a hand-over', async () => {
    await (await originRobots()).learn(ORIGIN, found('unavailable', { status: 503 }))
    const until = clock.now() + HOUR
    clock.advance(HOUR / 2)
    const next = await originRobots()
    expect(next.judge(PAGE)).toMatchObject({ code: 'ROBOTS_UNAVAILABLE', until })
    clock.advance(HOUR / 2)
    expect(next.judge(PAGE)).toBe(null)
    await next.learn(ORIGIN, found('unavailable', { status: 503 }))
    expect(await ledger.loadOrigins('a.test')).toMatchObject([{ failures: 2, checkedAt: clock.now() }])
  })

  test('does not wait for the interval when a person resumes the crawl', async () => {
    await (await originRobots()).learn(ORIGIN, found('unavailable'))
    clock.advance(1)
    expect((await originRobots({ runStartedAt: clock.now() })).judge(PAGE)).toBe(null)
  })

  test('waits as long as its Retry-After asks', async () => {
    const opened = await originRobots()
    await opened.learn(ORIGIN, found('unavailable', { status: 429, retryAfterMs: 5 * HOUR }))
    expect(opened.judge(PAGE)).toMatchObject({ until: clock.now() + 5 * HOUR })
    await opened.learn(ORIGIN, found('unavailable', { status: 429, retryAfterMs: 1_000 }))
    expect(opened.judge(PAGE)).toMatchObject({ until: clock.now() + HOUR })
  })

  test('a turn that cannot be had is no failure', async () => {
    const opened = await originRobots()
    opened.postpone(ORIGIN, clock.now() + 500)
    expect(opened.judge(PAGE)).toMatchObject({ code: 'ROBOTS_UNAVAILABLE', until: clock.now() + 500 })
    clock.advance(500)
    expect(opened.judge(PAGE)).toBe(null)
    expect(await ledger.loadOrigins('a.test')).toEqual([])
  })
})

describe('an origin that cannot be reached', () => {
  test('is tried as often as its failure says, then its URLs fail with that', async () => {
    const opened = await originRobots()
    await opened.learn(ORIGIN, found('unreachable'))
    expect(opened.judge(PAGE)).toEqual({
      allowed: false,
      code: 'CONNECT_REFUSED',
      detail: 'why',
      until: clock.now() + 5_000,
    })
    clock.advance(5_000)
    expect(opened.judge(PAGE)).toBe(null)
    await opened.learn(ORIGIN, found('unreachable'))
    expect(opened.judge(PAGE)).toEqual({ allowed: false, code: 'CONNECT_REFUSED', detail: 'why' })
  })

  test('is tried once when the user asked for that', async () => {
    const opened = await originRobots({ maxTries: 1 })
    await opened.learn(ORIGIN, found('unreachable'))
    expect(opened.judge(PAGE)).toEqual({ allowed: false, code: 'CONNECT_REFUSED', detail: 'why' })
  })

  test('is asked anew by the next lease', async () => {
    await (await originRobots()).learn(ORIGIN, found('unreachable'))
    clock.advance(HOUR)
    expect((await originRobots()).judge(PAGE)).toBe(null)
  })
})

describe('rules that throw', () => {
  const throws = () => {
    throw new RangeError('Invalid code point NaN')
  }
  afterEach(() => vi.restoreAllMocks())

  test('when they are read are no permission: the origin is asked again, and given up in the end', async () => {
    vi.spyOn(RobotsRules, 'parse').mockImplementation(throws)
    const opened = await originRobots()
    await opened.learn(ORIGIN, rules('User-agent: *\nAllow: /'))
    const detail = 'robots.txt could not be read: RangeError: Invalid code point NaN'
    const until = clock.now() + HOUR
    expect(opened.judge(PAGE)).toEqual({ allowed: false, code: 'ROBOTS_UNAVAILABLE', detail, until })
    for (let i = 0; i < 2; i++) await opened.learn(ORIGIN, rules('User-agent: *\nAllow: /'))
    expect(opened.judge(PAGE)).toEqual({ allowed: false, code: 'ROBOTS_GIVEN_UP', detail })
    expect(await ledger.loadOrigins('a.test')).toMatchObject([{ verdict: 'unavailable', failures: 3 }])
    expect(logged).toEqual(Array(3).fill('internal error'))
  })

  test('when a lease reads them again do not end it', async () => {
    await (await originRobots()).learn(ORIGIN, rules('User-agent: *\nAllow: /'))
    vi.spyOn(RobotsRules, 'parse').mockImplementation(throws)
    expect((await originRobots()).judge(PAGE)).toMatchObject({ allowed: false, code: 'ROBOTS_UNAVAILABLE' })
  })

  test('at one URL refuse that URL', async () => {
    const opened = await originRobots()
    await opened.learn(ORIGIN, rules('User-agent: *\nAllow: /'))
    vi.spyOn(RobotsRules.prototype, 'allows').mockImplementationOnce(throws)
    expect(opened.judge(PAGE)).toMatchObject({ allowed: false, code: 'INTERNAL_ERROR' })
    expect(opened.judge(PAGE)).toMatchObject({ allowed: true })
  })
})

test('two connections to one site ask for its robots.txt once', async () => {
  const opened = await originRobots()
  let asked = 0
  const ask = async (): Promise<void> => {
    asked++
    await new Promise(resolve => setImmediate(resolve))
  }
  await Promise.all([opened.once(PAGE, ask), opened.once(`${ORIGIN}/2`, ask)])
  expect(asked).toBe(1)
  await opened.once(PAGE, ask)
  expect(asked).toBe(2)
})
