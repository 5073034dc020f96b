/**
 * The sentences of RFC 9309 and of Google's documentation and parser, each as a small case of our own. Where
 * public parsers disagree, docs/explanation/politeness.md says which way we went and why.
 */
import { describe, expect, test } from 'vitest'
import { RobotsRules } from './robots-rules.js'

const parse = (text: string | Buffer, agent = 'spider'): RobotsRules =>
  RobotsRules.parse(typeof text === 'string' ? Buffer.from(text) : text, agent)
const may = (text: string | Buffer, path: string, agent = 'spider'): boolean =>
  parse(text, agent).allows(`http://host.test${path}`).allowed

describe('who is meant (RFC 9309, 2.2.1)', () => {
  const menu = 'User-agent: spider\nDisallow: /s\n\nUser-agent: *\nDisallow: /all\n'

  test.each([
    ['the group that names us, and no other', 'spider', '/all', true],
    ['in any case', 'SpIdEr', '/s', false],
    ['whatever version we are', 'spider/4.2', '/s', false],
    ['a longer name is somebody else, who gets the rules for all', 'spiderling', '/s', true],
    ['a shorter one too', 'spide', '/all', false],
    ['a name with our name and a dash', 'spider-images', '/s', true],
    ['one without a name gets the rules for all', '', '/all', false],
    ['the star itself', '*', '/all', false],
  ])('%s', (_, agent, path, expected) => {
    expect(may(menu, path, agent)).toBe(expected)
  })

  test('names outside ASCII are compared as bytes, ASCII letters in any case', () => {
    const text = 'User-agent: Ünïbot\nDisallow: /'
    expect(may(text, '/', 'Ünïbot')).toBe(false)
    expect(may(text, '/', 'ÜnïBOT')).toBe(false)
    expect(may(text, '/', 'Unibot')).toBe(true)
  })

  test('groups of one name are one group, wherever they stand; so are those for all', () => {
    const text =
      'User-agent: *\nDisallow: /1\nUser-agent: spider\nDisallow: /2\nUser-agent: *\nDisallow: /3\nUser-agent: SPIDER\nAllow: /2/x'
    expect(['/1', '/2', '/3', '/2/x'].map(path => may(text, path))).toEqual([true, false, true, true])
    expect(['/1', '/2', '/3'].map(path => may(text, path, 'other'))).toEqual([false, true, false])
  })

  test('rules before any agent are for nobody', () => {
    expect(may('Disallow: /\nUser-agent: spider\nAllow: /x', '/y')).toBe(true)
    expect(may('Disallow: /', '/')).toBe(true)
    expect(may('User-agent:\nDisallow: /', '/')).toBe(true)
  })

  test.each([
    'Sitemap: http://host.test/s.xml',
    'Unheard-of: 1',
    '',
    '# note',
    'Crawl-delay: 3',
    'Host: host.test',
    'gibberish',
  ])('agents with %j between them are one row, as Google has it', between => {
    const text = `User-agent: spider\n${between}\nUser-agent: other\nDisallow: /`
    expect([may(text, '/'), may(text, '/', 'other'), may(text, '/', 'third')]).toEqual([false, false, true])
  })

  test.each(['Unheard-of: 1', 'Sitemap: /s', 'Crawl-delay: 3', '\n\n'])(
    '%j does not end the rules of a group',
    between => {
      expect(may(`User-agent: spider\nAllow: /a\n${between}\nDisallow: /b`, '/b')).toBe(false)
    },
  )
})

describe('what a line may look like', () => {
  test.each([
    'disallow',
    'DISALLOW',
    'Disallow ',
    'dissallow',
    'dissalow',
    'disalow',
    'diasllow',
    'disallaw',
    'disallowed',
    'disalllow',
    'disllow',
    'dis-allow',
    'disallo',
  ])('%s is taken as meant', word => {
    expect(may(`User-agent: spider\n${word}: /x`, '/x')).toBe(false)
  })

  test.each([
    'user-agent',
    'USER-AGENT',
    'useragent',
    'user agent',
    'user_agent',
    'User-agents',
    'user-agnet',
  ])('%s is taken as meant', word => {
    expect(may(`${word}: spider\nDisallow: /x`, '/x')).toBe(false)
  })

  test.each([
    ['site-map', 'sitemap'],
    ['sitemap', 'SITEMAP'],
    ['site map', 'Site_Map'],
  ])('%s and %s are sitemaps', (one, two) => {
    const text = `${one}: http://host.test/1\nUser-agent: other\n${two}: http://host.test/2`
    expect(parse(text).sitemaps).toEqual(['http://host.test/1', 'http://host.test/2'])
  })

  test.each(['crawl-delay', 'crawldelay', 'Crawl delay', 'crawl_delay', 'CRAWL-DELAY'])(
    '%s is a delay',
    word => {
      expect(parse(`User-agent: *\n${word}: 2.5`).crawlDelayMs).toBe(2_500)
    },
  )

  test.each([
    ['no colon', 'User-agent spider\nDisallow /x'],
    ['tabs for it', 'User-agent\tspider\nDisallow\t\t/x'],
    ['blanks all over', '  User-agent  :   spider  \n\t Disallow \t:\t /x \t'],
    ['no blanks', 'User-agent:spider\nDisallow:/x'],
    ['more words behind the name', 'User-agent: spider the great\nDisallow: /x'],
    ['a comment behind it', 'User-agent: spider# us\nDisallow: /x# not'],
    ['old Mac lines', 'User-agent: spider\rDisallow: /x\r'],
    ['DOS lines', 'User-agent: spider\r\nDisallow: /x\r\n'],
    ['all of them', '\r\rUser-agent: spider\r\n\n\rDisallow: /x'],
    ['half a byte order mark', Buffer.from('\xef\xbbUser-agent: spider\nDisallow: /x', 'latin1')],
    ['UTF-16', Buffer.from('\ufeffUser-agent: spider\nDisallow: /x', 'utf16le')],
    [
      'UTF-16, the other way round',
      Buffer.from('\ufeffUser-agent: spider\nDisallow: /x', 'utf16le').swap16(),
    ],
    ['UTF-16 without a mark', Buffer.from('User-agent: spider\nDisallow: /x', 'utf16le')],
    [
      'UTF-16 without a mark, the other way round',
      Buffer.from('User-agent: spider\nDisallow: /x', 'utf16le').swap16(),
    ],
    ['a mark of UTF-16 that is not meant', Buffer.from('\xff\xfeUser-agent: spider\nDisallow: /x', 'latin1')],
    ['a page around it', '<html><pre>\nUser-agent: spider\nDisallow: /x\n</pre></html>'],
  ])('%s', (_, text) => {
    expect(may(text, '/x')).toBe(false)
    expect(may(text, '/y')).toBe(true)
  })

  test('a mark in the middle makes a line that is none', () => {
    expect(may('User-agent: spider\n\ufeffDisallow: /x', '/x')).toBe(true)
  })

  test.each([
    'Disallow',
    'Disallow:',
    ': /x',
    'Disallow everything please',
    ':',
    'x: /x',
    `${'Disallow'.repeat(20)}: /x`,
  ])('%j says nothing', line => {
    expect(may(`User-agent: spider\n${line}\nAllow: /a`, '/x')).toBe(true)
  })

  test('lines are counted as editors do', () => {
    const line = (text: string) => parse(text).allows('http://host.test/x').line?.number
    expect(line('User-agent: spider\n\nDisallow: /x')).toBe(3)
    expect(line('User-agent: spider\r\n\r\nDisallow: /x')).toBe(3)
    expect(line('User-agent: spider\r\rDisallow: /x')).toBe(3)
    expect(line('\ufeffUser-agent: spider\nDisallow: /x')).toBe(2)
  })
})

describe('which rule decides (RFC 9309, 2.2.2 and 2.2.3)', () => {
  test.each([
    ['Disallow: /x\nAllow: /x', '/x', true],
    ['Allow: /x\nDisallow: /xy', '/xyz', false],
    ['Disallow: /*/y\nAllow: /x/y', '/x/y', true],
    ['Disallow: /x/*\nAllow: /x/y', '/x/y', true],
    ['Disallow: /x/**\nAllow: /x/y', '/x/yz', false],
    ['Disallow: /x$\nAllow: /x', '/x', false],
    ['Disallow: /x$\nAllow: /x', '/xy', true],
    ['Disallow: *\nAllow: /x', '/x', true],
    ['Disallow: *\nAllow: /x', '/y', false],
    ['Disallow: *.gif$', '/a/b.gif', false],
    ['Disallow: *.gif$', '/a/b.gif?c', true],
    ['Disallow: /$', '/', false],
    ['Disallow: /$', '/a', true],
    ['Disallow: /a$b', '/a$bc', false],
    ['Disallow: /a$b', '/a%24bc', false],
    ['Disallow: /a%24', '/a$', false],
    ['Disallow: /a%24', '/a', true],
    ['Disallow: /a%2a', '/a*', false],
    ['Disallow: /a%2A', '/abc', true],
    ['Disallow: //a', '//a/b', false],
    ['Disallow: //a', '/a/b', true],
    ['Disallow: /?', '/?q', false],
    ['Disallow: /?', '/', true],
    ['Disallow: /;p', '/;p', false],
    ['Disallow: /*?*s=', '/a?b&s=1', false],
    ['Disallow: ***/***.js', '/x/y.js', false],
    ['Disallow: http://host.test/x', '/x', true],
    ['Disallow: x', '/x', true],
    ['Allow: /d/index.html\nDisallow: /', '/d/', true],
    ['Allow: /d/index.htm\nDisallow: /', '/d/', true],
    ['Allow: /d/index.html\nDisallow: /', '/d/index.htm', false],
    ['Disallow: /d/index.html', '/d/', true],
    ['Disallow: /', '/robots.txt', true],
    ['Disallow: /robots.txt', '/robots.txt', true],
    ['Disallow: /', '/robots.txt?x', false],
  ])('%j, %s: %s', (rules, path, expected) => {
    expect(may(`User-agent: *\n${rules}`, path)).toBe(expected)
  })

  test('the longest counts by octets: an umlaut is two, however it is spelled', () => {
    expect(may('User-agent: *\nDisallow: /ä\nAllow: /%C3%A4', '/ä')).toBe(true)
    expect(may('User-agent: *\nAllow: /*\nDisallow: /%61', '/a')).toBe(true)
    expect(may('User-agent: *\nAllow: /a\nDisallow: /%61%62', '/ab')).toBe(false)
  })

  test.each([
    ['/%7Ejoe', '/~joe'],
    ['/~joe', '/%7ejoe'],
    ['/a%3cd', '/a<d'],
    ['/a<d', '/a%3Cd'],
    ['/%e3%83%84', '/ツ'],
    ['/ツ*b', '/%E3%83%84/b'],
    ['/a b', '/a%20b'],
    ['/%62', '/b'],
    ['/b', '/%62'],
  ])('%s and %s are the same', (pattern, path) => {
    expect(may(`User-agent: *\nDisallow: ${pattern}`, path)).toBe(false)
  })

  test.each([
    ['/a%2Fb', '/a/b'],
    ['/a/b', '/a%2Fb'],
    ['/a%3Fb', '/a?b'],
    ['/A', '/a'],
  ])('%s and %s are not', (pattern, path) => {
    expect(may(`User-agent: *\nDisallow: ${pattern}`, path)).toBe(true)
  })

  test('no rule, an empty rule, an empty file: all is allowed', () => {
    for (const text of [
      '',
      'User-agent: *',
      'User-agent: *\nDisallow:',
      'User-agent: *\nDisallow: \nAllow:',
      '\ufeff',
    ])
      expect(may(text, '/x')).toBe(true)
  })
})

describe('Crawl-delay', () => {
  test.each([
    [
      'is for the agents just above it',
      'User-agent: spider\nCrawl-delay: 1\nUser-agent: b\nCrawl-delay: 2',
      1_000,
    ],
    ['for several of them', 'User-agent: b\nUser-agent: spider\nCrawl-delay: 2', 2_000],
    ['may stand before the rules', 'User-agent: spider\nCrawl-delay: 4\nDisallow: /', 4_000],
    ['and after them', 'User-agent: spider\nDisallow: /\nCrawl-delay: 4', 4_000],
    [
      'for all is not for us when we have a group',
      'User-agent: *\nCrawl-delay: 4\nDisallow: /x\nUser-agent: spider\nDisallow:',
      null,
    ],
    ['with a comma', 'User-agent: *\nCrawl-delay: 0,5', 500],
    ['of zero', 'User-agent: *\nCrawl-delay: 0', 0],
  ])('%s', (_, text, expected) => {
    expect(parse(text).crawlDelayMs).toBe(expected)
  })
})
