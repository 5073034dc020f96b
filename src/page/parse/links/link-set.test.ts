import { decodeHTMLAttribute } from 'entities/decode'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import { type KnownLinks, LIMITS } from '../../../model/index.js'
import { normaliseUrl, originOf } from '../../../model/url/index.js'
import { withSentinels } from '../memory/page-memory.js'
import { LinkSet } from './link-set.js'
import { pageBase } from './page-base.js'
import { PendingLinks } from './pending-links.js'

// The same cases every time, unless someone looks for new ones.
const wanted = process.env.ORBWEAVER_FUZZ_RUNS
const FUZZ = wanted === undefined ? { numRuns: 10_000, seed: 1 } : { numRuns: Number(wanted) }
vi.setConfig({ testTimeout: wanted === undefined ? 300_000 : 24 * 3_600_000 })

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
    '?',
    '?q',
    '/./',
    '/../',
    '.x',
    '..x',
    'a/../'.repeat(5),
    ':',
    '%66oo',
    '%c3%A9',
    '%2F',
    '%2',
    '%65',
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
    'mailto:',
    'caf\u00e9',
    '\u65e5\u672c',
    'HTTP://h.test/',
    'HttpS://o.test/',
    '//o.test/',
    '//h.test/',
    'http:///h.test/',
    'java-script:x',
    '\n',
    '&b=',
  ],
]
const AMPERSANDS = ['&amp;', '&#38;', '&', '&#x26;', '&#X26;', '&amp']
const BASES = [
  'http://h.test/',
  'http://h.test/a/b/c.html?x=/y',
  'http://h.test/a//b?',
  'http://h.test/a%2e/',
  'https://o.test/x/',
]

function knownOf(urls: readonly string[]): KnownLinks {
  const keys = new Set(
    urls.map(url => {
      takeFingerprint(url)
      return `${fingerprint.low} ${fingerprint.high}`
    }),
  )
  return { has: (low, high) => keys.has(`${low} ${high}`) }
}

describe('links of a page', () => {
  it('that are known and plain are counted, not listed', () => {
    const pending = new PendingLinks()
    const bytes = Buffer.from('/known"/new"http://o.test/known"')
    for (const [start, end] of [
      [0, 6],
      [7, 11],
      [12, 31],
    ] as const)
      pending.addRange(start, end, 1)
    const known = knownOf(['http://h.test/known'])
    const resolved = pending.resolve(pageBase('http://h.test/', null), withSentinels(bytes, 0, false), known)
    expect(resolved.links).toEqual(['http://h.test/new', 'http://o.test/known'])
    expect(resolved.known).toBe(1)
  })

  it('are resolved from bytes as they would be from strings', () => {
    const hrefs = fc.array(
      fc.array(fc.constantFrom(...PIECES), { maxLength: 5 }).map(pieces => pieces.join('')),
      {
        maxLength: 8,
      },
    )
    fc.assert(
      fc.property(fc.constantFrom(...BASES), hrefs, (base, written) => {
        const pending = new PendingLinks()
        const escaped = written.map((link, i) => link.replaceAll('&', AMPERSANDS[i % AMPERSANDS.length]))
        const links = escaped.map(link => decodeHTMLAttribute(link))
        const bytes = Buffer.from(`${escaped.join('"')}"`)
        const memory = withSentinels(bytes, 0, false)
        let start = 0
        for (const link of escaped) {
          const end = start + Buffer.byteLength(link)
          pending.addRange(start, end, 1)
          start = end + 1
        }
        const urls = links.map(link => normaliseUrl(link, base)).filter(url => url !== null)
        const distinct = [...new Set(urls)]
        expect(pending.resolve(pageBase(base, null), memory, null).links).toEqual(distinct)
        // What is known of the own origin is counted, whichever way it is written; what is not, is listed.
        const own = distinct.filter((url, i) => i % 2 === 0 && originOf(url) === originOf(base))
        const resolved = pending.resolve(pageBase(base, null), memory, knownOf(own))
        expect(resolved.links.length + resolved.known).toBe(distinct.length)
        expect(distinct.filter(url => !resolved.links.includes(url)).every(url => own.includes(url))).toBe(
          true,
        )
      }),
      FUZZ,
    )
  })
})

/** URLs whose fingerprints end in the same twelve bits: they all want one slot. */
function collidingUrls(count: number): string[] {
  const urls: string[] = []
  for (let n = 0; urls.length < count; n++) {
    takeFingerprint(`http://h.test/${n}`)
    if ((fingerprint.low & 0xfff) === 0) urls.push(`http://h.test/${n}`)
  }
  return urls
}

describe('LinkSet', () => {
  it('keeps each link once per kind, even when a page makes all fingerprints want one slot', () => {
    const urls = collidingUrls(128)
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
