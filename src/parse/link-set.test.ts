import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { LIMITS } from '../model/limits.js'
import { normaliseUrl } from '../model/url.js'
import { LinkSet } from './link-set.js'
import { pageBase } from './page-base.js'
import { PendingLinks } from './pending-links.js'

// The same cases every time, unless someone looks for new ones.
const wanted = process.env.ORBWEAVER_FUZZ_RUNS
const FUZZ = wanted === undefined ? { numRuns: 10_000, seed: 1 } : { numRuns: Number(wanted) }
vi.setConfig({ testTimeout: wanted === undefined ? 60_000 : 24 * 3_600_000 })

const PIECES = [
  ...[
    '/',
    '//',
    '.',
    '..',
    './',
    '../',
    '%2e',
    '%',
    'a',
    'b.html',
    'a',
    'x:y',
    ':',
    'http:',
    'http://h.test',
    '?',
    '#',
  ],
  ...[
    'http://h.test/',
    'http://h.test:80/',
    'https://h.test/',
    'http://o.test/',
    '?a=1',
    "'",
    '&',
    ';',
    ' ',
    '\\',
    '|',
    'A',
  ],
]
const BASES = [
  'http://h.test/',
  'http://h.test/a/b/c.html?x=/y',
  'http://h.test/a//b?',
  'http://h.test/a%2e/',
]

describe('links of a page', () => {
  it('are resolved from bytes as they would be from strings', () => {
    const hrefs = fc.array(
      fc.array(fc.constantFrom(...PIECES), { maxLength: 5 }).map(pieces => pieces.join('')),
      {
        maxLength: 8,
      },
    )
    fc.assert(
      fc.property(fc.constantFrom(...BASES), hrefs, (base, links) => {
        const pending = new PendingLinks()
        const escaped = links.map(link => link.replaceAll('&', '&amp;'))
        const bytes = Buffer.from(`${escaped.join('"')}"`)
        let start = 0
        for (const link of escaped) {
          pending.addRange(start, start + link.length, 1)
          start += link.length + 1
        }
        const urls = links.map(link => normaliseUrl(link, base)).filter(url => url !== null)
        expect(pending.resolve(pageBase(base, null), bytes).links).toEqual([...new Set(urls)])
      }),
      FUZZ,
    )
  })
})

/**
 * Pairs of words that lead a FNV-1a hash from one state to the same next: all 2^n ways have the same hash.
 */
function collidingTexts(start: string, pairs: number): string[] {
  const step = (state: number, word: string) => {
    let hash = state
    for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193)
    return hash
  }
  const word = (n: number) =>
    String.fromCharCode(
      97 + (n % 26),
      97 + (n & 15),
      97 + ((n >> 4) & 15),
      97 + ((n >> 8) & 15),
      97 + (n >> 12),
    )
  let texts = [start]
  let state = step(0x811c9dc5, start)
  for (let pair = 0; pair < pairs; pair++) {
    const words = new Map<number, number>()
    for (let n = 0; ; n++) {
      const hash = step(state, word(n))
      const other = words.get(hash)
      if (other === undefined) words.set(hash, n)
      else {
        texts = texts.flatMap(text => [text + word(n), text + word(other)])
        state = hash
        break
      }
    }
  }
  return texts
}

describe('LinkSet', () => {
  it('keeps each link once per kind, even when a page makes all hashes collide', () => {
    const urls = collidingTexts('http://h.test/', 7)
    expect(new Set(urls).size).toBe(128)
    const set = new LinkSet()
    set.reset(urls.length * 4)
    for (const url of [...urls, ...urls]) {
      set.addText(url, 1)
      set.addText(url, 2)
    }
    expect(set.links.length).toBe(256)
    expect(new Set(set.links).size).toBe(128)
    expect(set.kinds().filter(kind => kind === 2).length).toBe(128)
  })

  it('is bounded in links and in characters', () => {
    const set = new LinkSet()
    set.reset(LIMITS.linksPerPage * 2)
    for (let i = 0; i < LIMITS.linksPerPage * 2; i++) set.addText(`http://h.test/${i}`, 1)
    expect(set.links.length).toBe(LIMITS.linksPerPage)
    set.reset(100_000)
    for (let i = 0; i < 10_000; i++) set.addText(`http://h.test/${i}${'x'.repeat(10_000)}`, 1)
    expect(set.links.length).toBeLessThan(2_000)
  })
})
