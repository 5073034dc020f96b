import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { readTraps } from '../../../model/index.js'
import { NumberWalks, stepOf } from './number-walks.js'
import { SiteTraps } from './site-traps.js'

const at = (path: string) => `https://example.org${path}`

describe('a step of a walk', () => {
  it.each([
    ['/?week=9', '/?week=10'],
    ['/?week=10', '/?week=9'],
    ['/p/199/', '/p/200/'],
    ['/list?page=8&sort=a', '/list?page=7&sort=a'],
    ['/a1b', '/a22b'],
    ['/2026/11', '/2026/12'],
  ])('%s from %s', (url, via) => expect(stepOf(at(url), at(via))).not.toBeNull())

  it('has the same name all the way, and another in another walk', () => {
    expect(stepOf(at('/?w=10'), at('/?w=9'))).toBe(stepOf(at('/?w=999'), at('/?w=1000')))
    expect(stepOf(at('/?w=10'), at('/?w=9'))).not.toBe(stepOf(at('/?v=10'), at('/?v=9')))
  })

  it.each([
    ['/?week=9', '/'],
    ['/a/1', '/b/2'],
    ['/a', '/b'],
    ['/2026/11', '/2027/12'],
    ['/', ''],
  ])('is not %s from %s', (url, via) => expect(stepOf(at(url), via === '' ? '' : at(via))).toBeNull())

  it('is not another host', () => expect(stepOf('http://h2.test/', 'http://h1.test/')).toBeNull())
})

describe('a walk', () => {
  /** How many pages are taken of a site that has `page(n)` at `/?n=…` and a link to the next on each. */
  function taken(
    page: (n: number) => string,
    isFruitful: (n: number) => boolean = () => false,
    name = 'n',
  ): number {
    const walks = new NumberWalks()
    for (let n = 1; n < 12_000; n++) {
      const [url, via] = [at(`/?${name}=${n}`), at(`/?${name}=${n - 1}`)]
      if (walks.judge(url, via)) return n
      const key = walks.longWalk(url, via)
      if (key !== null) walks.read(key, url, Buffer.from(page(n)), isFruitful(n))
    }
    return Number.POSITIVE_INFINITY
  }

  it('that shows nothing but numbers is over after some thousand pages, and not before', () => {
    const weeks = taken(n => `<title>Week ${n}</title><p>No events in week ${n}, ${2_000 + n}</p>`)
    expect(weeks).toBeLessThan(5_500)
    expect(weeks).toBeGreaterThan(4_500)
  })

  it('that calls itself a calendar is over after some hundred', () => {
    const page = (n: number) => `<title>${n}</title><p>No events</p>`
    for (const name of ['week', 'm/month', 'cal_day'])
      expect(taken(page, () => false, name)).toBeLessThan(250)
    expect(taken(page, () => false, 'birthday')).toBeGreaterThan(4_500)
  })

  it('of months is the same', () => {
    const months = ['May', 'June', 'July', 'August']
    expect(taken(n => `<h1>${months[n % 4]} ${n}</h1>`)).toBeLessThan(5_500)
  })

  it.each([
    [
      'words',
      (n: number) =>
        `<p>${'abcdefgh'[n % 8]}${String.fromCharCode(97 + (n % 26))} and ${'x'.repeat(n % 60)}</p>`,
    ],
    ['pictures', (n: number) => `<p>A picture</p><img src="/photo-${n}.jpg">`],
  ])('that shows other %s goes on', (_, page) => expect(taken(page)).toBe(Number.POSITIVE_INFINITY))

  it('that brings something new now and then goes on', () => {
    expect(
      taken(
        () => 'the same',
        n => n % 1_000 === 0,
      ),
    ).toBe(Number.POSITIVE_INFINITY)
  })

  it('that is over is over after a resume too', () => {
    const walks = new NumberWalks()
    walks.replay(at('/?n=2'), at('/?n=1'), false)
    walks.replay(at('/?n=3'), at('/?n=2'), true)
    expect(walks.judge(at('/?n=-4'), at('/?n=-5'))).toBe(false)
    expect(walks.judge(at('/?n=4'), at('/?n=3'))).toBe(true)
  })

  /** A calendar by offset: pages taken of a site whose months link to two days each, which say `day(n)`. */
  function monthsTaken(day: (n: number) => string, links: (n: number) => string[] = () => []): number {
    const traps = new SiteTraps({
      rules: readTraps([])!,
      maxPages: 1e9,
      clock: new ManualClock(),
      known: { knows: () => false, restoreKnown: () => {} },
    })
    const queue: { url: string; via: string }[] = [{ url: at('/?month=1'), via: at('/') }]
    const seen = new Set<string>()
    for (let taken = 0; ; taken++) {
      const next = queue.shift()
      if (next === undefined || taken === 3_000) return taken
      const [, kind, number] = /(month|day)=(\d+)/.exec(next.url) ?? ['', '', '0']
      const n = Number(number)
      const body = Buffer.from(kind === 'month' ? `Month ${n}: choose a day` : day(n))
      const found = kind === 'month' ? [`/?month=${n + 1}`, `/?day=${2 * n}`, `/?day=${2 * n + 1}`] : links(n)
      traps.beginPage(next.url, '', body, next.via)
      for (const url of found.map(at)) {
        if (seen.has(url)) continue
        seen.add(url)
        if (traps.judge({ url, via: next.url, depth: 1, hops: 0, score: 0 }) === null)
          queue.push({ url, via: next.url })
      }
      traps.endPage(next.url, body)
    }
  }

  it('whose pages link to others by number ends when those have long shown nothing', () => {
    expect(monthsTaken(n => `Nothing on day ${n}`)).toBeLessThan(1_000)
    expect(
      monthsTaken(
        n => `Nothing on day ${n}`,
        n => [`/?day=${n + 1}`, '/?month=7'],
      ),
    ).toBeLessThan(1_000)
  })

  it('goes on while those have something to say, or lead to something', () => {
    expect(monthsTaken(n => `On day ${n}: ${'abcdefghijklmnopq'[n % 17]}${'rstuvwxyz'[n % 9]}`)).toBe(3_000)
    expect(
      monthsTaken(
        n => `More on ${n}`,
        n => [`/story-${'ab'.repeat(n)}`],
      ),
    ).toBe(3_000)
  })
})
