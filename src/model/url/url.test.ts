import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  hostOf,
  LinkResolver,
  normaliseUrl,
  originOf,
  parseUrl,
  registrableDomain,
  siteOf,
  targetOf,
} from './url.js'

// The same cases every time, unless someone looks for new ones.
const wanted = process.env.ORBWEAVER_FUZZ_RUNS
const FUZZ = wanted === undefined ? { numRuns: 20_000, seed: 1 } : { numRuns: Number(wanted) }
vi.setConfig({ testTimeout: wanted === undefined ? 300_000 : 24 * 3_600_000 })

const BASES = [
  'http://example.org/',
  'https://example.org:8443/a/b/c.html?x=/y/../z',
  'http://127.0.0.1:8080/a//b/',
  'http://[::1]/x/y',
  'http://xn--bcher-kva.example/..a/b%2F/c%E9',
  'http://h/a/b?',
  'http://h/?q',
]

const PIECES = [
  ...['', '/', '//', '.', '..', './', '../', '.../', '%2e', '%2E%2e/', '.%2e', '%', '%zz', '%41'],
  ...['%66oo', '%c2', '%C2%b5', '%2', '%65', '%25', '%2F', '%2f', '%7e', '%3f', '%3D', '%27', '%20', '%0a'],
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

/**
 * What a server can tell apart: the octets, and which of them are delimiters because they are not escaped.
 */
function octetsOf(url: string): string[] {
  const octets: string[] = []
  for (const [, hex, raw] of targetOf(url).matchAll(/%([\da-f]{2})|(.)/gi)) {
    const octet = hex === undefined ? raw!.charCodeAt(0) : Number.parseInt(hex, 16)
    const isDelimiter = hex === undefined && ":/?#[]@!$&'()*+,;=%".includes(raw!)
    octets.push(`${octet}${isDelimiter ? ' delimiter' : ''}`)
  }
  return octets
}

describe('escapes in a URL (RFC 3986, 6.2.2)', () => {
  it.each([
    ['/%66oo', '/foo'],
    ['/%c2%b5', '/%C2%B5'],
    ['/%7Euser/%2D%2e%5f%7e', '/~user/-._~'],
    ['/a%2fb%3fc%23d%25e%26f', '/a%2Fb%3Fc%23d%25e%26f'],
    ['/%2566oo', '/%2566oo'],
    ['/?a%3db=%26%61', '/?a%3Db=%26a'],
    ['/a/%2e%2e/b', '/b'],
    ['/a/%2e%2ehidden', '/a/..hidden'],
    ['/%2%65', '/%2%65'],
    ['/%%32e', '/%%32e'],
    ['/%%32%65', '/%%32e'],
    ['/100%/%zz/%6', '/100%/%zz/%6'],
    ['/é?é', '/%C3%A9?%C3%A9'],
  ])('%s is %s', (written, normal) => {
    expect(normaliseUrl(`http://h${written}`)).toBe(`http://h${normal}`)
    expect(new LinkResolver('http://h/x/y').resolve(written)).toBe(`http://h${normal}`)
  })

  it('have one spelling, and a server sees the same octets and delimiters as without', () => {
    fc.assert(
      fc.property(base, href, (page, link) => {
        const url = normaliseUrl(link, page)
        if (url === null) return
        expect(octetsOf(url)).toEqual(octetsOf(parseUrl(link, page)!))
        for (const [escaped] of url.matchAll(/%[\da-f]{2}/gi)) expect(escaped).toBe(escaped.toUpperCase())
      }),
      FUZZ,
    )
  })

  it('in either case, and escaped or not where nothing is reserved, make one URL', () => {
    const unreserved = [...'abcxyzABCXYZ0189-._~']
    const name = fc.array(fc.constantFrom(...unreserved, '/', 'é', ' '), { minLength: 1, maxLength: 20 })
    const escapes = (lower: boolean, c: string) =>
      [...Buffer.from(c)].map(octet => {
        const digits = octet.toString(16).padStart(2, '0')
        return `%${lower ? digits : digits.toUpperCase()}`
      })
    fc.assert(
      fc.property(name, fc.infiniteStream(fc.nat(2)), (characters, choices) => {
        const written = characters.map(c => {
          const choice = choices.next().value
          return choice === 0 || c === '/' ? c : escapes(choice === 1, c).join('')
        })
        const url = normaliseUrl(`http://h/n${characters.join('')}n`)
        expect(normaliseUrl(`http://h/n${written.join('')}n`)).toBe(url)
        expect(new LinkResolver('http://h/').resolve(`/n${written.join('')}n`)).toBe(url)
      }),
      { ...FUZZ, numRuns: FUZZ.numRuns / 4 },
    )
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
