/** Whom a line is for, and how lines are read. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allows, parse } from '../../../test/kit/robots-verdict.js'
import { LIMITS } from '../../model/index.js'
import { RobotsRules } from './robots-rules.js'

describe('groups', () => {
  const three =
    'User-agent: *\nDisallow: /\n\nUser-agent: orbweaver\nDisallow: /a\n\nUser-agent: other\nDisallow: /b'

  test.each([
    ['orbweaver', '/a', false],
    ['orbweaver', '/b', true],
    ['OrbWeaver/3.1 (+https://example.org)', '/b', true],
    ['other', '/b', false],
    ['other', '/a', true],
    ['unknown', '/c', false],
    ['', '/c', false],
  ])('%s has its own', (token, path, expected) => {
    expect(allows(three, path, token)).toBe(expected)
  })

  test.each([
    ['orbweaver', true],
    ['ORBWEAVER', true],
    ['orbweaver/1.0', true],
    ['Orbweaver/*', true],
    ['orbweaver2', true],
    ['orbweaver 1.0', true],
    ['orbweaver-news', false],
    ['orbweavers', false],
    ['orb', false],
    ['the orbweaver', false],
    ['*orbweaver', false],
  ])('User-agent: %s names us: %s', (name, isUs) => {
    expect(allows(`User-agent: *\nDisallow: /\nUser-agent: ${name}\nAllow: /`, '/x')).toBe(isUs)
  })

  test('only the first word of an agent line counts', () => {
    const text = 'User-Agent: *\nDisallow: /\nUser-Agent: Foo Bar\nAllow: /x/\nDisallow: /\n'
    expect(allows(text, '/x/', 'Foo')).toBe(true)
    expect(allows(text, '/x/', 'Foo Bar')).toBe(false)
    expect(allows('User-agent: * all of you\nDisallow: /', '/')).toBe(false)
  })

  test('that name us are merged, wherever they stand', () => {
    const text =
      'User-agent: a\nUser-agent: orbweaver\nDisallow: /1\n\nUser-agent: b\nDisallow: /2\nUser-agent: Orbweaver\nDisallow: /3'
    expect(['/1', '/2', '/3'].map(path => allows(text, path))).toEqual([false, true, false])
  })

  test('that name us hide those for everybody, even when empty', () => {
    expect(allows('User-agent: *\nDisallow: /\nUser-agent: orbweaver\nDisallow:', '/x')).toBe(true)
    expect(allows('User-agent: orbweaver\n\nUser-agent: *\nDisallow: /', '/x')).toBe(false)
  })

  test('are not ended by empty lines, comments or other directives', () => {
    const text =
      'User-agent: orbweaver\n\n# x\nSitemap: https://example.org/s.xml\nNoise: 1\nUser-agent: b\nDisallow: /'
    expect(allows(text, '/x')).toBe(false)
    expect(allows('Disallow: /\nUser-agent: x\nDisallow: /', '/x')).toBe(true)
  })
})

describe('lines', () => {
  test.each([
    ...['disallow', 'DISALLOW', 'dissallow', 'dissalow', 'disalow', 'diasllow', 'disallaw', 'Disallowed'].map(
      word => `User-agent: *\n${word}: /x`,
    ),
    ...['useragent', 'user agent', 'User-Agents', 'USER-AGENT', 'user_agent'].map(
      word => `${word}: *\nDisallow: /x`,
    ),
    'User-agent *\nDisallow /x',
    'User-agent\t*\nDisallow\t/x',
    'User-agent:*\nDisallow:/x',
    ' User-agent : * \n\tDisallow : /x\t',
    'User-agent: *#\nDisallow: /x# all',
    'User-agent: *\rDisallow: /x',
    'User-agent: *\r\n\r\nDisallow: /x\r\n',
    '\ufeffUser-agent: *\nDisallow: /x',
    '<html>\n:\n::\n#\nfoo\nfoo bar\nfoo bar: baz\nUser-agent: *\n\0\nDisallow: /x',
    `User-agent: *\n${'x'.repeat(100_000)}: y\n#${'y'.repeat(100_000)}\nDisallow: /x`,
    `User-agent: *\nDisallow: /${'z'.repeat(100_000)}\nDisallow: /x`,
  ])('are taken as meant: %#', text => {
    expect(allows(text, '/x/1')).toBe(false)
    expect(allows(text, '/y')).toBe(true)
  })

  test('without a colon have two words, whatever stands in the second', () => {
    expect(allows('User-agent: *\nDisallow /a:b', '/a:b')).toBe(false)
    expect(allows('User-agent: *\nDisallow all of it', '/all')).toBe(true)
    expect(parse('Sitemap https://example.org/s.xml').sitemaps).toEqual(['https://example.org/s.xml'])
  })

  test('skip whatever there is of a byte order mark, and no more', () => {
    const rest = Buffer.from('User-agent: *\nDisallow: /')
    const withMark = (...mark: number[]): boolean =>
      RobotsRules.parse(Buffer.concat([Buffer.from(mark), rest]), 'x').allows('https://a/b').allowed
    expect(withMark(0xef, 0xbb, 0xbf)).toBe(false)
    expect(withMark(0xef, 0xbb)).toBe(false)
    expect(withMark(0xef, 0x11, 0xbf)).toBe(true)
  })

  test('count in full, however long', () => {
    const long = `/x/${'a'.repeat(50_000)}`
    const text = `User-agent: *\nDisallow: ${long}/qux\nDisallow:${' '.repeat(50_000)}/far\n`
    expect(allows(text, '/x/fux')).toBe(true)
    expect(allows(text, `${long}/fux`)).toBe(true)
    expect(allows(text, `${long}/qux`)).toBe(false)
    expect(allows(text, '/far')).toBe(false)
  })

  test('are read for at least 500 KiB; what follows the limit is ignored, and a rule cut by it too', () => {
    const head = 'User-agent: *\nDisallow: /first\n'
    const filler = `${'#'.repeat(99)}\n`
    const early = `${head}${filler.repeat(5_120)}Disallow: /early\n`
    expect(early.length).toBeGreaterThan(500 * 1024)
    const late = `${early}${filler.repeat(500)}Disallow: /late\n`
    expect(late.length).toBeGreaterThan(LIMITS.robotsBytes)
    expect(['/first', '/early', '/late'].map(path => allows(late, path))).toEqual([false, false, true])
    const cut = `${head}${'#'.repeat(LIMITS.robotsBytes - head.length - 13)}\nDisallow: /wide-and-long\n`
    expect(cut.slice(0, LIMITS.robotsBytes).endsWith('\nDisallow: /w')).toBe(true)
    expect(allows(cut, '/world')).toBe(true)
    expect(allows(cut, '/first')).toBe(false)
  })

  test('of any bytes at all neither throw nor hang', () => {
    const words = [
      'User-agent: *\n',
      'Disallow: /',
      'Allow:',
      '*',
      '$',
      '%',
      '%6',
      ':',
      '\r',
      '\n',
      '#',
      ' ',
      'Crawl-delay: ',
    ]
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc
        .array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary', maxLength: 5 })), {
          maxLength: 60,
        })
        .map(parts => Buffer.from(parts.join(''))),
    )
    fc.assert(
      fc.property(noise, fc.string({ unit: 'binary' }), (bytes, path) => {
        const rules = RobotsRules.parse(bytes, 'orbweaver')
        const verdict = rules.allows(`https://example.org/${path}`)
        expect(verdict.line === undefined && !verdict.allowed).toBe(false)
        expect(rules.crawlDelayMs === null || rules.crawlDelayMs >= 0).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('besides rules', () => {
  test.each([
    ['User-agent: *\nCrawl-delay: 10', 10_000],
    ['User-agent: *\nCrawl-delay: 0.5\nDisallow: /x', 500],
    ['User-agent: *\nCrawl-delay: 1\nUser-agent: orbweaver\nDisallow: /x', null],
    ['User-agent: *\nDisallow: /\nCrawl-delay: 1\nUser-agent: orbweaver\nDisallow: /x', null],
    ['User-agent: orbweaver\nCrawl-delay: 3\nDisallow: /\nUser-agent: *\nCrawl-delay: 9', 3_000],
    ['User-agent: *\nCrawl-delay: 2\nCrawl-delay: 5\nCrawl-delay: 3', 5_000],
    ['User-agent: *\nCrawldelay: 4s', 4_000],
    ['User-agent: *\nCrawl-delay: 1e9', 1e12],
    ['User-agent: *\nCrawl-delay: -1', null],
    ['User-agent: *\nCrawl-delay: soon', null],
    ['User-agent: other\nCrawl-delay: 7', null],
    ['Crawl-delay: 7', null],
  ])('Crawl-delay of %j', (text, expected) => {
    expect(parse(text).crawlDelayMs).toBe(expected)
  })

  test('sitemaps are for everybody, in order', () => {
    const text = 'Sitemap: https://example.org/1.xml\nUser-agent: x\nsite-map: /2?ä\nSITEMAP:\nDisallow: /'
    expect(parse(text).sitemaps).toEqual(['https://example.org/1.xml', '/2?ä'])
  })
})
