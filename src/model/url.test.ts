import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { hostOf, LinkResolver, normaliseUrl, originOf, registrableDomain, siteOf, targetOf } from './url.js'

// The same cases every time, unless someone looks for new ones.
const wanted = process.env.ORBWEAVER_FUZZ_RUNS
const FUZZ = wanted === undefined ? { numRuns: 20_000, seed: 1 } : { numRuns: Number(wanted) }
vi.setConfig({ testTimeout: wanted === undefined ? 300_000 : 24 * 3_600_000 })

const BASES = [
  'http://example.org/',
  'https://example.org:8443/a/b/c.html?x=/y/../z',
  'http://127.0.0.1:8080/a//b/',
  'http://[::1]/x/y',
  'http://xn--bcher-kva.example/%2e%2ea/b%2F/c',
  'http://h/a/b?',
  'http://h/?q',
]

const PIECES = [
  ...['', '/', '//', '.', '..', './', '../', '.../', '%2e', '%2E%2e/', '.%2e', '%', '%zz', '%41'],
  ...[
    'a',
    'b.html',
    'A',
    '~x',
    "it's",
    'x:y',
    ':',
    'http:',
    'https://',
    'http://',
    'HTTP://',
    'ftp://',
    'mailto:a@b',
  ],
  ...[
    'javascript:void(0)',
    'data:,x',
    'example.org',
    'EXAMPLE.org',
    'example.org:80',
    'example.org:443',
    ':8443',
  ],
  ...[
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '1.2.3.4.5',
    '[::1]',
    '[::1',
    'user:pw@',
    '@',
    'xn--bcher-kva.example',
    'bücher.example',
  ],
  ...[
    '?',
    '?a=1&b=2',
    "?q='",
    '#',
    '#frag',
    '#?',
    '&amp;',
    ';',
    ' ',
    '\t',
    '\n',
    '\\',
    '|',
    '^',
    '"',
    '<',
    '{',
    '`',
    'é',
    '\u{1F600}',
  ],
  ...[
    '\ud800',
    '\0',
    '\x7f',
    '+',
    ',',
    '$',
    '!',
    '(',
    ')',
    '*',
    '=',
    '-',
    '_',
    '..a',
    'a..',
    '/.hidden',
    '/..',
    '/.',
  ],
]

const base = fc.oneof(
  fc.constantFrom(...BASES),
  fc.webUrl({ withQueryParameters: true }).map(url => normaliseUrl(url) ?? BASES[0]!),
)
const href = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map(pieces => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
)

describe('LinkResolver', () => {
  it('answers like the full parser for every base and link, however often it is asked', () => {
    fc.assert(
      fc.property(base, fc.array(href, { minLength: 1, maxLength: 4 }), (page, links) => {
        const resolver = new LinkResolver(page)
        for (const link of [...links, ...links]) expect(resolver.resolve(link)).toBe(normaliseUrl(link, page))
      }),
      FUZZ,
    )
  })

  it.each([
    ['', 'http://h/a/b.html?q=1'],
    ['#top', 'http://h/a/b.html?q=1'],
    ['?p=2', 'http://h/a/b.html?p=2'],
    ['c.html#x', 'http://h/a/c.html'],
    ['./c', 'http://h/a/c'],
    ['../../../c', 'http://h/c'],
    ['../?x', 'http://h/?x'],
    ['/wiki/Help:Contents', 'http://h/wiki/Help:Contents'],
    ['x/Help:Contents', 'http://h/a/x/Help:Contents'],
    ['//other.org/x', 'http://other.org/x'],
    ['http://other.org:80/x', 'http://other.org/x'],
    ['a/../b', 'http://h/a/b'],
  ])('resolves %j', (link, expected) => {
    expect(new LinkResolver('http://h/a/b.html?q=1').resolve(link)).toBe(expected)
  })

  it.each(['mailto:a@b.org', 'javascript:void(0)', 'http://', 'http://a b/', 'Help:Contents'])(
    'has no URL for %j',
    link => {
      expect(new LinkResolver('http://h/a/b').resolve(link)).toBeNull()
    },
  )
})

describe('normaliseUrl', () => {
  it('is idempotent, and leaves neither fragment nor credentials', () => {
    fc.assert(
      fc.property(base, href, (page, link) => {
        const url = normaliseUrl(link, page)
        if (url === null) return
        expect(normaliseUrl(url)).toBe(url)
        expect(url).not.toContain('#')
        const parsed = new URL(url)
        expect(parsed.username + parsed.password + parsed.hash).toBe('')
        expect(originOf(url)).toBe(parsed.origin)
        expect(siteOf(url)).toBe(parsed.host)
        expect(targetOf(url)).toBe(
          parsed.pathname + url.slice(url.indexOf(parsed.pathname, 8) + parsed.pathname.length),
        )
        expect(hostOf(siteOf(url))).toBe(parsed.hostname)
      }),
      FUZZ,
    )
  })

  it('drops what never reaches the server', () => {
    expect(normaliseUrl('http://user:pw@Example.ORG:80/a/./b/../c#x')).toBe('http://example.org/a/c')
    expect(normaliseUrl('http://h/a@b')).toBe('http://h/a@b')
    expect(normaliseUrl('http://h/#')).toBe('http://h/')
  })
})

describe('registrableDomain', () => {
  it('knows public suffixes, private ones included, and keeps addresses', () => {
    expect(registrableDomain('www.example.co.uk:8080')).toBe('example.co.uk')
    expect(registrableDomain('a.b.github.io')).toBe('b.github.io')
    expect(registrableDomain('127.0.0.1:80')).toBe('127.0.0.1')
    expect(registrableDomain('[::1]:80')).toBe('[::1]')
  })
})
