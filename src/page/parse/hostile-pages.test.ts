/**
 * Pages made to hurt. That these tests end, and end in memory, is what they test: there is no clock in them.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../model/index.js'
import { type ParseRequest, parsePage } from './parse-page.js'

function parse(body: string | Buffer) {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const request: ParseRequest = {
    url: 'http://h.test/d/p',
    body: bytes,
    contentType: 'text/html; charset=utf-8',
    wantText: true,
    wantRequisites: true,
  }
  return parsePage(request)
}

/** What the scanner does not understand: the page goes to the full parser, if that one may have it. */
const HANDED_OVER = '<svg><div>'
const link = '<a href=found>'

const numbered = (count: number, make: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => make(n)).join('')

describe.each([
  ['scanned', ''],
  ['handed over', HANDED_OVER],
])('a page that is %s', (_, odd) => {
  it.each([
    ['50,000 nested divs', () => '<div>'.repeat(50_000) + link],
    ['a million links', () => numbered(1_000_000, n => `<a href=${n}>`) + link],
    ['many equal links', () => '<a href=x>'.repeat(900_000) + link],
    ['a 30 MB attribute', () => `<a title="${'x'.repeat(30_000_000)}" href=found>`],
    ['a 30 MB link', () => `<a href="${'x'.repeat(30_000_000)}">${link}`],
    [
      'a million character references',
      () => `${'&amp;&copy'.repeat(500_000)}<a href="${'&amp;'.repeat(9_000)}">${link}`,
    ],
    ['a million attributes', () => `<p ${numbered(1_000_000, n => `a${n} `)}>${link}`],
    ['formatting that is opened again and again', () => numbered(20_000, n => `<p><font color=${n}>`) + link],
    ['links in links', () => '<a href=x><div>'.repeat(100_000) + link],
    ['tables in tables', () => '<table><tr><td>'.repeat(50_000) + link],
    ['text between tables', () => `<table>${'<a href=x>y'.repeat(100_000)}${link}`],
    ['end tags that end nothing', () => '<div>'.repeat(5_000) + '</x></p></a>'.repeat(100_000) + link],
    ['a million comments', () => '<!---->'.repeat(1_000_000) + link],
    ['nested templates', () => '<template>'.repeat(100_000) + '</template>'.repeat(100_000) + link],
    ['nested svg', () => '<svg>'.repeat(100_000) + '</svg>'.repeat(100_000) + link],
  ])('is parsed to the end: %s', (_name, make) => {
    const page = parse(odd + make())
    expect(page.links.length).toBeGreaterThan(0)
    expect(page.links.length).toBeLessThanOrEqual(LIMITS.linksPerPage)
    if (page.links.length < LIMITS.linksPerPage) expect(page.links).toContain('http://h.test/d/found')
    expect(page.text.length).toBeLessThanOrEqual(LIMITS.textBytes)
  })
})

it.each([
  ['brackets', '<'],
  ['open comments', '<!--'],
  ['open scripts', '<script><!--<script>'],
  ['open titles', '<title></titl'],
  ['open tags', '<a '],
  ['quotes', '<a "=\''],
  ['spaces', ' \n'],
  ['zeros', '\0'],
  ['ranges of text', 'a<b>'],
  ['CDATA', '<svg><![CDATA[]]>'],
])('8 MB of %s', (_, piece) => {
  expect(parse(piece.repeat(8_000_000 / piece.length)).links).toEqual([])
})

it('a long base does not make the links of a page larger than it may be', () => {
  const page = parse(`<base href="/${'x/'.repeat(1_000)}">${numbered(60_000, n => `<a href=${n}>`)}`)
  const chars = page.links.reduce((sum, url) => sum + url.length, 0)
  expect(chars).toBeLessThanOrEqual(LIMITS.linkCharsPerPage + LIMITS.attributeBytes)
})

it('no bytes and no header make it throw', () => {
  const header = fc.oneof(
    fc.constantFrom(
      undefined,
      'text/html',
      'text/html; charset=utf-16',
      'text/html;charset=gbk',
      'application/xml',
    ),
    fc.string(),
  )
  const start = fc.constantFrom(
    '',
    '<',
    '<a href="',
    '<meta charset=',
    '<?xml encoding="',
    '\xff\xfe',
    '<meta content="charset',
  )
  fc.assert(
    fc.property(header, start, fc.uint8Array({ maxLength: 300 }), (contentType, prefix, bytes) => {
      const body = Buffer.concat([Buffer.from(prefix, 'latin1'), bytes])
      const page = parsePage({
        url: 'http://h.test/',
        body,
        contentType,
        wantText: true,
        wantRequisites: true,
      })
      expect(page.links.length).toBe(page.kinds.length)
    }),
    { numRuns: 5_000 },
  )
})
