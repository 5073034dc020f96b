import { beforeAll, describe, expect, it } from 'vitest'
import { GRAPH_WEIGHTS } from '../../src/config/index.js'
import { sireFindings } from './experiment.js'
import { hybridParts } from './hybrid.js'
import { consistentHash, hostHash, sireParts } from './methods.js'
import { ADDRESSES, HOSTS, MOST_CRAWLERS, type NationalWeb, nationalWeb, URLS } from './national-web.js'
import { COUNTRIES, crawlerPlaces, rttMs } from './places.js'
import type { Row } from './run.js'
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

  it('IP-SIRE keeps an address together, and is better than a hash in all three times', () => {
    const four = sireParts(web, 'address', 4, null, options)
    const five = sireParts(web, 'address', 5, four.parts, options)
    const partOf = new Map<string, number>()
    for (const [host, { addresses }] of web.learned.sites.entries()) {
      const part = partOf.get(addresses[0]) ?? four.parts[host]
      expect(four.parts[host]).toBe(part)
      partOf.set(addresses[0], part)
    }
    expect(four.bound).toBe(0)
    expect(downloadTime(web, 4, four.parts)).toBeLessThan(downloadTime(web, 4, hostHash(web, 4)))
    expect(exchangeTime(web, 4, four.parts)).toBeLessThan(0.22 * exchangeTime(web, 4, hostHash(web, 4)))
    const moved = relocationTime(web, 5, four.parts, five.parts)
    expect(moved).toBeLessThan(0.54 * relocationTime(web, 5, hostHash(web, 4), hostHash(web, 5)))
  })

  it('the nearer crawler counts with the RTT graph, and does not without it', { tags: 'deep' }, () => {
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
    const [before, after] = [consistentHash(web, 4), consistentHash(web, 5)]
    expect(after.every((part, host) => part === 4 || part === before[host])).toBe(true)
    expect(after.filter(part => part === 4).length / HOSTS).toBeCloseTo(0.2, 1)
  })

  it('hybrid: who runs dry takes hosts that wait for others, those with the fewest links there, and all are done at once', {
    tags: 'deep',
  }, () => {
    const { parts, table } = hybridParts(web, 4, null, 'fast', 1)
    const [before, after] = [downloadTime(web, 4, table), downloadTime(web, 4, parts)]
    const total = downloadTime(web, 1, new Int32Array(HOSTS))
    expect(after).toBeLessThan(before)
    expect(after).toBeLessThan(1.01 * (total / 4))
    const moved = parts.reduce((sum, part, host) => sum + (part === table[host] ? 0 : 1), 0)
    expect(moved).toBeGreaterThan(0)
    expect(moved).toBeLessThan(0.3 * HOSTS)
    // What it costs: some of what the table saves, not most.
    expect(exchangeTime(web, 4, parts)).toBeLessThan(0.5 * exchangeTime(web, 4, hostHash(web, 4)))
  })
})

describe('experiment sire', { tags: 'deep' }, () => {
  const plan = {
    crawlers: 3,
    seeds: 1,
    hostPreset: 'fast',
    addressPreset: 'fast',
    hybridPreset: 'fast',
  } as const
  let findings: ReturnType<typeof sireFindings>
  let own: readonly Row[]
  beforeAll(() => {
    findings = sireFindings(plan, 1, () => {})
    own = findings.rows as readonly Row[]
  })

  it('has a row for each scheme and number of crawlers, centralised and consistent hash among them, and in the tables', () => {
    const schemes = ['centralised', 'host hash', 'consistent hash', 'Host-SIRE', 'IP-SIRE', 'hybrid']
    expect(own.map(({ crawlers, scheme }) => [crawlers, scheme])).toEqual(
      [1, 2, 3].flatMap(k => schemes.map(scheme => [k, scheme])),
    )
    const { averages, paper, tables } = findings
    expect(Object.keys(averages).sort()).toEqual([...schemes].sort())
    expect(paper).toEqual({
      scheme: 'IP-SIRE',
      averageReductionPercent: { download: 18, exchange: 78, relocation: 46 },
    })
    const [reductions, times] = tables
    expect(reductions.rows.map(([name]) => name)).toContain('centralised')
    for (const name of ['dl centralised', 'dl consistent hash', 'ex consistent hash', 're consistent hash'])
      expect(times.head).toContain(name)
    for (const row of own)
      expect(Object.keys(row)).toEqual(
        expect.arrayContaining(['downloadSeconds', 'boundPercent', 'prefixes']),
      )
  })

  it('has no cell of ours that is worse than host hash, less to exchange than the paper, and hybrid is another than IP-SIRE', () => {
    const { averages, missed } = findings
    expect(missed).toEqual([])
    const ours = own.filter(({ scheme, crawlers }) => /SIRE|hybrid/.test(scheme) && crawlers > 1)
    expect(ours).toHaveLength(6)
    for (const row of ours) {
      expect(row.downloadReductionPercent).toBeGreaterThan(0)
      expect(row.exchangeReductionPercent).toBeGreaterThan(0)
      expect(row.relocationReductionPercent ?? 1).toBeGreaterThan(0)
    }
    expect(averages).toHaveProperty(
      'IP-SIRE.exchange',
      expect.toSatisfy((value: number) => value >= 78),
    )
    expect(averages).toHaveProperty(
      'IP-SIRE.relocation',
      expect.toSatisfy((value: number) => value >= 46),
    )
    const [ip, hybrid] = ['IP-SIRE', 'hybrid'].map(name => ours.find(({ scheme }) => scheme === name)!)
    expect(hybrid.exchangeSeconds).not.toBeCloseTo(ip.exchangeSeconds)
    expect(hybrid.downloadSeconds).toBeLessThan(ip.downloadSeconds)
  })
})
