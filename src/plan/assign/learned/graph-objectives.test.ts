import { describe, expect, it } from 'vitest'
import {
  forty,
  numbers,
  partsOf,
  planned,
  ring,
  ringOf,
  type Site,
  site,
  sum,
  web,
} from '../../../../test/kit/learned-webs.js'
import { GRAPH_WEIGHTS, type GraphWeights } from '../../../config/index.js'
import { WordSketch } from '../../../model/bytes/index.js'
import { paragraphsOf } from '../../../simulate/web/words.js'
import { blockOf, countryOf } from './places.js'
import { similarSites } from './similar-sites.js'

describe('change', () => {
  const few = forty.slice(0, 10)
  /** Those that change have all links among themselves: by pages alone they are together. */
  const nets = [...few.flatMap(i => few.filter(j => j !== i).map(j => [i, j])), [20, 21]]
  const loads = (parts: readonly number[], weights: readonly number[]) => {
    const all = [0, 0]
    for (const i of forty) all[parts[i]] += weights[i]
    return Math.max(...all) / (sum(all) / 2)
  }

  it('shares what is fetched again and again as evenly as pages, when that is asked for', () => {
    const sites = forty.map(i => site(i, { checked: 10, changed: i < 10 ? 10 : 0 }))
    const visits = sites.map(({ changed }) => changed)
    const pages = sites.map(site => site.pages)
    expect(loads(partsOf(web(sites, nets)), visits)).toBe(2)
    const plan = planned(web(sites, nets), { weights: { ...GRAPH_WEIGHTS, change: 1 } })
    const parts = sites.map(({ site }) => plan.table.partOf(site))
    expect(loads(parts, visits)).toBe(1)
    expect(loads(parts, pages)).toBeLessThan(1.051)
    expect(plan.imbalance).toHaveLength(2)
  })

  it('brings pages that change to agents that are near, and those that do not may be anywhere', () => {
    const sites = numbers(80).map(i =>
      site(i, {
        checked: 10,
        changed: i < 40 ? 10 : 0,
        connectMs: { 'agent-1': i % 2 ? 200 : 5, 'agent-2': i % 2 ? 5 : 200 },
      }),
    )
    const change = { ...GRAPH_WEIGHTS, rtt: 0, change: 10 }
    const near = (weights: GraphWeights) => {
      const parts = partsOf(web(sites, ringOf(80)), { weights })
      return numbers(80).filter(i => parts[i] === i % 2)
    }
    const brought = near(change)
    expect(brought.filter(i => i < 40)).toHaveLength(40)
    expect(brought.length).toBeLessThan(70)
    expect(near({ ...change, change: 0 }).length).toBeLessThan(50)
  })

  it('parts two sites that have all changes, though all their links are with each other', () => {
    const sites = forty.map(i => site(i, { checked: 10, changed: i < 2 ? 10 : 0 }))
    const pair = web(sites, [[0, 1], ...ring.slice(2, -1)])
    const before = partsOf(pair)
    expect(before[0]).toBe(before[1])
    const parts = partsOf(pair, { weights: { ...GRAPH_WEIGHTS, change: 1 } })
    expect(parts[0]).not.toBe(parts[1])
  })

  it('leaves no agent with nothing but one page that changes', () => {
    const sites = forty.map(i => site(i, { checked: 10, changed: i === 0 ? 10 : 0 }))
    const parts = partsOf(web(sites, nets), { weights: { ...GRAPH_WEIGHTS, change: 1 } })
    const pages = sites.map(site => site.pages)
    expect(loads(parts, pages)).toBeLessThan(1.051)
  })
})

describe('similarity', () => {
  /** Two paragraphs on one of four topics; no two sites have the same. */
  function sketchOf(number: number): string {
    const sketch = new WordSketch()
    const texts = paragraphsOf(1, number % 4)
    for (const text of texts.slice((number >> 2) * 4, (number >> 2) * 4 + 4)) {
      const bytes = Buffer.from(text)
      sketch.add(bytes, 0, bytes.length)
    }
    return sketch.toString()
  }

  it('keeps sites on one topic together when that is asked for, and not otherwise', () => {
    const sites = numbers(140).map(i => site(i, { words: sketchOf(i) }))
    const shares = [1, 1, 1, 1]
    /** Sites that are where most of their topic are. */
    const inTopic = (weights: GraphWeights) => {
      const parts = partsOf(web(sites, ringOf(140)), { shares, weights })
      const most = numbers(4).map(topic => {
        const own = parts.filter((_, i) => i % 4 === topic)
        return Math.max(...numbers(4).map(part => own.filter(each => each === part).length))
      })
      return sum(most)
    }
    expect(inTopic(GRAPH_WEIGHTS)).toBeLessThan(60)
    expect(inTopic({ ...GRAPH_WEIGHTS, similarity: 10 })).toBe(140)
  })

  it('finds those of a topic among many sites without comparing each with each', () => {
    const many = Array.from({ length: 1_200 }, (_, i) => i)
    const pairs = similarSites(many.map(i => (i % 100 === 99 ? undefined : sketchOf(i % 152))))
    expect(pairs.length).toBeLessThanOrEqual(6 * many.length)
    expect(new Set(pairs.map(({ a }) => a)).size).toBe(many.filter(i => i % 100 !== 99).length)
    const same = pairs.filter(({ a, b }) => (a % 152) % 4 === (b % 152) % 4)
    expect(same.length / pairs.length).toBeGreaterThan(0.99)
  })

  it('makes nothing of sites that are all alike, of sketches that are none, and of one site', () => {
    const same = sketchOf(0)
    expect(similarSites([same, same, same])).toEqual([])
    expect(similarSites(['', 'AAAA', undefined, same])).toEqual([])
  })
})

describe('geography', () => {
  it('keeps sites of one country, or of one block of addresses, together when that is asked for', () => {
    const alone = { ...GRAPH_WEIGHTS, links: 0.001 }
    const isSplit = (sites: readonly Site[], weights: GraphWeights) => {
      const parts = partsOf(web(sites, ring), { weights })
      return forty.every(i => parts[i] === parts[i % 2])
    }
    const byCountry = forty.map(i => site(i, { site: `s${i}.${i % 2 ? 'pt' : 'fr:8080'}` }))
    // Two of forty are nowhere.
    const byBlock = forty.map(i => site(i, { addresses: i < 38 ? [`2001:db${i % 2}:${i}::1`] : [] }))
    for (const sites of [byCountry, byBlock]) {
      expect(isSplit(sites, { ...alone })).toBe(false)
      const parts = partsOf(web(sites, ring), { weights: { ...alone, geography: 1 } })
      for (const i of forty.slice(0, 38)) expect(parts[i]).toBe(parts[i % 2])
    }
  })

  it.each([
    ['192.0.2.1', '192.0'],
    ['::ffff:192.0.2.1', '192.0'],
    ['2001:db8::1', '2001:db8'],
    ['2001:0DB8:1:2:3:4:5:6', '2001:db8'],
    ['2001::1', '2001:0'],
    ['::1', null],
    ['fe80::1%eth0', 'fe80:0'],
    ['', null],
    ['unknown', null],
  ])('%s is in the block %s', (address, block) => {
    expect(blockOf(address)).toBe(block)
  })

  it.each([
    ['example.pt', 'pt'],
    ['example.co.uk:8080', 'uk'],
    ['xn--e1afmkfd.xn--p1ai', 'xn--p1ai'],
    ['example.org', null],
    ['192.0.2.1', null],
    ['[2001:db8::ab]:80', null],
    ['localhost', null],
  ])('%s is of the country %s', (name, country) => {
    expect(countryOf(name)).toBe(country)
  })
})
