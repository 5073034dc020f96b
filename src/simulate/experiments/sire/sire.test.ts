import { describe, expect, it } from 'vitest'
import { GRAPH_WEIGHTS } from '../../../assign/graph-objectives.js'
import { consistentHash, hostHash, hybrid, sireParts } from './methods.js'
import { ADDRESSES, HOSTS, MOST_CRAWLERS, type NationalWeb, nationalWeb, URLS } from './national-web.js'
import { COUNTRIES, crawlerPlaces, rttMs } from './places.js'
import { downloadTime, exchangeTime, relocationTime } from './times.js'

const web = nationalWeb(1)

describe('the national web', () => {
  it('has the URLs, hosts, addresses and countries of the paper, 52 % of the addresses abroad', () => {
    expect(web.learned.sites).toHaveLength(HOSTS)
    expect(web.learned.sites.reduce((sum, { pages }) => sum + pages, 0)).toBe(URLS)
    expect(new Set(web.learned.sites.map(({ addresses }) => addresses[0])).size).toBe(ADDRESSES)
    expect(COUNTRIES).toHaveLength(24)
    expect(COUNTRIES.reduce((sum, { addresses }) => sum + addresses, 0)).toBe(ADDRESSES)
    expect(1 - COUNTRIES[0].addresses / ADDRESSES).toBeCloseTo(0.52)
  })

  it('has distances: Lisbon is nearer to Madrid than to Tokyo, and crawlers go where the addresses are', () => {
    const [lisbon, , madrid] = COUNTRIES
    const tokyo = COUNTRIES.find(({ code }) => code === 'jp')!
    expect(rttMs(lisbon, madrid, 0)).toBeLessThan(20)
    expect(rttMs(lisbon, tokyo, 0)).toBeGreaterThan(150)
    expect(crawlerPlaces(4).map(({ code }) => code)).toEqual(['pt', 'pt', 'pt', 'us'])
  })
})

describe('times', () => {
  const flat: NationalWeb = { ...web, rttSeconds: new Float64Array(HOSTS * MOST_CRAWLERS).fill(0.1) }

  it('of one crawler: M / 10 pages in turns of 2 RTT + 50 s + 15 s, ten connections', () => {
    expect(downloadTime(flat, 1, new Int32Array(HOSTS))).toBeCloseTo(((URLS / 10) * 65.2) / 10, 0)
    expect(exchangeTime(web, 1, new Int32Array(HOSTS))).toBe(0)
  })

  it('of a move: 2 RTT, and 0.02 s for each URL', () => {
    const after = new Int32Array(HOSTS)
    after[7] = 1
    const seconds = (2 * web.crawlerRttSeconds(0, 1) + 0.02 * web.learned.sites[7].pages) / 10
    expect(relocationTime(web, 2, new Int32Array(HOSTS), after)).toBeCloseTo(seconds, 9)
  })
})

describe('schemes', () => {
  const options = { weights: GRAPH_WEIGHTS, preset: 'fast', seed: 1 } as const
  const four = sireParts(web, 'address', 4, null, options)
  const five = sireParts(web, 'address', 5, four.parts, options)

  it('IP-SIRE keeps an address together, and is better than a hash in all three times', () => {
    const partOf = new Map<string, number>()
    for (const [host, { addresses }] of web.learned.sites.entries()) {
      const part = partOf.get(addresses[0]) ?? four.parts[host]
      expect(four.parts[host]).toBe(part)
      partOf.set(addresses[0], part)
    }
    expect(four.bound).toBe(0)
    expect(downloadTime(web, 4, four.parts)).toBeLessThan(downloadTime(web, 4, hostHash(4)))
    expect(exchangeTime(web, 4, four.parts)).toBeLessThan(0.22 * exchangeTime(web, 4, hostHash(4)))
    const moved = relocationTime(web, 5, four.parts, five.parts)
    expect(moved).toBeLessThan(0.54 * relocationTime(web, 5, hostHash(4), hostHash(5)))
  })

  it('the nearer crawler counts with the RTT graph, and does not without it', () => {
    const rtt = (parts: Int32Array) =>
      web.learned.sites.reduce(
        (sum, { pages }, host) => sum + pages * web.rttSeconds[host * MOST_CRAWLERS + parts[host]],
        0,
      )
    const none = sireParts(web, 'address', 4, null, { ...options, weights: { ...GRAPH_WEIGHTS, rtt: 0 } })
    const much = sireParts(web, 'address', 4, null, { ...options, weights: { ...GRAPH_WEIGHTS, rtt: 5 } })
    expect(rtt(much.parts)).toBeLessThan(0.95 * rtt(none.parts))
  })

  it('a consistent hash moves hosts to the new crawler alone', () => {
    const [before, after] = [consistentHash(4), consistentHash(5)]
    expect(after.every((part, host) => part === 4 || part === before[host])).toBe(true)
    expect(after.filter(part => part === 4).length / HOSTS).toBeCloseTo(0.2, 1)
  })

  it('hybrid: who runs dry takes hosts of whoever has most left', () => {
    const lopsided = four.parts.map((part, host) => (host % 3 === 0 ? 0 : part))
    expect(downloadTime(web, 4, hybrid(web, 4, lopsided))).toBeLessThan(
      1.01 * downloadTime(web, 4, four.parts),
    )
  })
})
