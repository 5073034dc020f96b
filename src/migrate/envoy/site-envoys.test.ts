/** Tours as a lane sees them, with a real host on loopback and a carrier that a test can make faulty. */
import { beforeEach, describe, expect, it } from 'vitest'
import { found } from '../../../test/kit/frontier-space.js'
import { type Hosted, hosted } from '../../../test/kit/hosted.js'
import { madeSite } from '../../../test/kit/made-site.js'
import { homeKeys, MANIFEST } from '../../../test/kit/tour.js'
import type { SiteCrawl } from '../../cluster/agent/site/index.js'
import { systemClock as clock, systemRandom as random } from '../../compose/index.js'
import { sitemapMark } from '../../model/index.js'
import type { FrontierEntry } from '../../page/frontier/index.js'
import type { Carrier } from '../carrier/index.js'
import { SiteEnvoys } from './site-envoys.js'

const LINKS: Record<string, string> = { '/': '<a href=/a>a</a><a href=/b>b</a>', '/b': '<a href=/c>c</a>' }
const site = (path: string) => (path === '/robots.txt' ? null : (LINKS[path] ?? `page ${path}`))

let host: Hosted
let cell: SiteCrawl
let log: string[]
let leftMs: number
/** Settings in the ledger. */
let stored: Record<string, string>

beforeEach(async () => {
  host = await hosted(site)
  cell = madeSite({ clock })
  log = []
  stored = {}
  leftMs = 20_000
})

/** `faulty` replaces calls of the carrier. */
function envoysWith(faulty: Partial<Carrier> = {}, key: string | null = null): SiteEnvoys {
  const { carrier } = host
  const whole: Carrier = {
    card: () => carrier.card(),
    send: bundle => carrier.send(bundle),
    renew: renewal => carrier.renew(renewal),
    part: (tour, number, most) => carrier.part(tour, number, most),
    ...faulty,
  }
  return new SiteEnvoys({
    clock,
    random,
    ledger: {
      readJournal: async () => [],
      settings: async () => stored,
      set: async values => void Object.assign(stored, values),
    },
    keys: homeKeys,
    carrierOf: origin => (origin === MANIFEST.origin ? { carrier: whole, host: key } : null),
    agent: { leftMs: () => leftMs, leastDelayMs: () => 0 },
    isWanted: () => true,
    bodyBytes: 1e6,
    maxDepth: Number.POSITIVE_INFINITY,
    log: (event, { state = '', why = '' }) => log.push(`${event} ${state}${why}`.trim()),
  })
}

const entry = (path: string, more: Partial<FrontierEntry> = {}): FrontierEntry => ({
  ...found(''),
  url: `${MANIFEST.origin}${path}`,
  attempt: 1,
  ...more,
})

/** What comes for a path: the body, or where to ask. */
async function answerTo(
  envoys: SiteEnvoys,
  path: string,
  more: Partial<FrontierEntry> = {},
): Promise<string> {
  const answer = await envoys.answer(cell, entry(path, more))
  if (answer.is !== 'response') return answer.is
  return answer.result.exchange!.body.toString()
}

async function begun(faulty: Partial<Carrier> = {}): Promise<SiteEnvoys> {
  const envoys = envoysWith(faulty)
  expect(envoys.mayBegin(cell, entry('/'))).toBe(true)
  await envoys.begin(cell, entry('/'))
  return envoys
}

describe('a site with a host', () => {
  it('is answered by its tour, URL by URL in any order, each once; the rest by its server', async () => {
    const envoys = await begun()
    for (const path of ['/', '/c', '/a', '/b']) expect(await answerTo(envoys, path)).toBe(site(path))
    expect(await answerTo(envoys, '/unknown')).toBe('server')
    expect(await answerTo(envoys, '/a')).toBe('server')
    expect(host.web.askedOf('a.test')).toEqual(['a.test/', 'a.test/a', 'a.test/b', 'a.test/c'])
    expect([envoys.hasReturned(cell), envoys.hasReturned(cell)]).toEqual([true, false])
    expect(log).toEqual(['a tour began', 'a tour ended back'])
  })

  it('begins with all that waits, and does not visit again what has come', async () => {
    cell.frontier.offer({ ...found(''), url: `${MANIFEST.origin}/x`, depth: 1 })
    const envoys = await begun()
    expect(await answerTo(envoys, '/x')).toBe('page /x')
    expect(await answerTo(envoys, '/late')).toBe('server')
    expect(envoys.mayBegin(cell, entry('/a'))).toBe(false)
    expect(envoys.mayBegin(cell, entry('/late'))).toBe(true)
    await envoys.begin(cell, entry('/late'))
    expect(await answerTo(envoys, '/late')).toBe('page /late')
    expect(await answerTo(envoys, '/a')).toBe('page /a')
    expect(new Set(host.web.askedOf('a.test')).size).toBe(host.web.askedOf('a.test').length)
    expect(cell.frontier.next(clock.now())?.url).toBe(`${MANIFEST.origin}/x`)
  })

  it('is sent no request by this agent while the host may read it', async () => {
    let lets = () => {}
    const gate = new Promise<void>(resolve => (lets = resolve))
    const part: Carrier['part'] = async (...args) => {
      await gate
      return host.carrier.part(...args)
    }
    const envoys = await begun({ part })
    expect(await answerTo(envoys, '/', { attempt: 2 })).toBe('later')
    expect(await envoys.answer(cell, { ...entry('/'), url: 'https://a.test/' })).toEqual({ is: 'later' })
    const sitemap = { ...entry('/'), url: sitemapMark(`${MANIFEST.origin}/sitemap.xml`) }
    expect(await envoys.answer(cell, sitemap)).toEqual({ is: 'later' })
    expect(envoys.mayBegin(cell, entry('/z'))).toBe(false)
    lets()
    expect(await answerTo(envoys, '/zzz')).toBe('server')
    expect(await envoys.answer(cell, sitemap)).toEqual({ is: 'server' })
  })

  it('has none for a cell that is only a part of it, or for another origin', () => {
    const envoys = envoysWith()
    expect(envoys.mayBegin(madeSite({ clock, cell: 'a.test#3' }), entry('/'))).toBe(false)
    expect(envoys.mayBegin(cell, { ...entry('/'), url: 'http://b.test/' })).toBe(false)
  })

  it('gets no further request of the host once it is left', async () => {
    LINKS['/endless'] = '<a href=/0>0</a>'
    for (let i = 0; i < 2_000; i++) LINKS[`/${i}`] = `<a href=/${i + 1}>next</a>`
    const envoys = envoysWith()
    envoys.mayBegin(cell, entry('/endless'))
    await envoys.begin(cell, entry('/endless'))
    while (host.web.asked.length < 20) await new Promise(resolve => setTimeout(resolve, 5))
    cell.leave('slice')
    await envoys.end(cell)
    const { length } = host.web.asked
    await new Promise(resolve => setTimeout(resolve, 50))
    expect(host.web.asked).toHaveLength(length)
    expect(await answerTo(envoys, '/')).toBe('server')
  })
})

describe('parts on their way', () => {
  it('may be lost and asked for again, or come twice', async () => {
    let calls = 0
    const part: Carrier['part'] = async (...args) => {
      const bytes = await host.carrier.part(...args)
      await host.carrier.part(...args)
      return ++calls % 2 === 1 ? null : bytes
    }
    const envoys = await begun({ part })
    for (const path of ['/', '/a', '/b', '/c']) expect(await answerTo(envoys, path)).toBe(site(path))
    expect(calls).toBeGreaterThan(1)
  })

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['with an altered byte', bytes => bytes.fill(bytes[100]! ^ 1, 100, 101)],
    ['cut short', bytes => bytes.subarray(0, -1)],
    ['of nothing', () => Buffer.alloc(0)],
  ])('%s end the tour: the server is asked when the host cannot read any more', async (_, alter) => {
    leftMs = 1_500
    const since = clock.monotonic()
    const part: Carrier['part'] = async (...args) => {
      const bytes = await host.carrier.part(...args)
      return bytes && alter(Buffer.from(bytes))
    }
    const envoys = await begun({ part })
    expect(await answerTo(envoys, '/')).toBe('server')
    expect(clock.monotonic() - since).toBeGreaterThanOrEqual(leftMs)
    expect(log[1]).toMatch(/^a tour ended lostpart 1 is refused/)
    expect(envoys.mayBegin(cell, entry('/a'))).toBe(false)
  })
})

describe('a host', () => {
  it('that goes away is outlived, and what it had brought is kept', async () => {
    leftMs = 2_000
    let isGone = false
    const renew: Carrier['renew'] = async renewal => (isGone ? null : host.carrier.renew(renewal))
    const part: Carrier['part'] = async (tour, number, most) => {
      const bytes = await host.carrier.part(tour, number, most)
      isGone = true
      return bytes
    }
    for (let i = 0; i < 30; i++) LINKS[`/${i}`] = `<a href=/${i + 1}>next</a>`
    const envoys = await begun({ renew, part })
    const since = clock.monotonic()
    expect(await answerTo(envoys, '/a')).toBe('page /a')
    expect(await answerTo(envoys, '/nowhere')).toBe('server')
    expect(clock.monotonic() - since).toBeGreaterThan(0)
    expect(await answerTo(envoys, '/b')).toBe(site('/b'))
  })

  it.each<[string, Partial<Carrier>, RegExp]>([
    ['that does not answer', { card: async () => null }, /no host answers/],
    ['that refuses', { send: async () => ({ is: 'refused', why: 'not today' }) }, /not today/],
  ])('%s rests, and the server is asked at once', async (_, faulty, why) => {
    const envoys = await begun(faulty)
    expect(await answerTo(envoys, '/')).toBe('server')
    expect(envoys.mayBegin(cell, entry('/'))).toBe(false)
    expect(log).toEqual([expect.stringMatching(why)])
    expect(host.web.asked).toEqual([])
  })

  it('with another key than the user named is not used', async () => {
    const envoys = envoysWith({}, homeKeys.publicKey)
    envoys.mayBegin(cell, entry('/'))
    await envoys.begin(cell, entry('/'))
    expect(await answerTo(envoys, '/')).toBe('server')
    expect(log[0]).toContain('it is for another host')
  })
})

it('a host keeps the key that it had when it was used first', async () => {
  const card = (await host.carrier.card())!
  const cards = [card, { ...card, host: homeKeys.publicKey }]
  const envoys = await begun({ card: async () => cards.shift() ?? card })
  expect(await answerTo(envoys, '/')).toBe(site('/'))
  await envoys.end(cell)
  expect(envoys.mayBegin(cell, entry('/new'))).toBe(true)
  await envoys.begin(cell, entry('/new'))
  expect(await answerTo(envoys, '/new')).toBe('server')
  expect(log.at(-1)).toContain('another key')
})

it('the queue of a site is as it was when it was shown', () => {
  const urls = Array.from({ length: 100 }, (_, i) => `${MANIFEST.origin}/${i}`)
  for (const [i, url] of urls.entries()) cell.frontier.offer({ ...found(''), url, score: (i % 3) / 3 })
  const shown: string[] = []
  cell.frontier.showNew(({ url }) => shown.push(url))
  expect(shown.toSorted()).toEqual(urls.toSorted())
  const order: string[] = []
  for (let next = cell.frontier.next(0); next !== null; next = cell.frontier.next(0)) order.push(next.url)
  const third = (rest: number) => urls.filter((_, i) => i % 3 === rest)
  expect(order).toEqual([...third(2), ...third(1), ...third(0)])
})
