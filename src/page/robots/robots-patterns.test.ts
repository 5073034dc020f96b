/** Which paths a rule means, and which of several rules decides. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allows, parse } from '../../../test/kit/robots-verdict.js'
import { normaliseUrl, parseUrl } from '../../model/url/index.js'
import { RobotsRules } from './robots-rules.js'

describe('a pattern', () => {
  // Pattern, paths it matches, paths it does not: RFC 9309 and the table of Google's documentation.
  test.each([
    ['/', ['/', '/x', '/?q'], []],
    ['/*', ['/', '/x'], []],
    ['*', ['/', '/x'], []],
    ['/$', ['/'], ['/x', '/?q']],
    [
      '/fish',
      ['/fish', '/fish.html', '/fish/salmon.html', '/fishheads/yummy.html', '/fish.php?id=anything'],
      ['/Fish.asp', '/catfish', '/?id=fish', '/desert/fish'],
    ],
    [
      '/fish*',
      ['/fish', '/fish.html', '/fishheads', '/fish.php?id=x'],
      ['/Fish.asp', '/catfish', '/?id=fish'],
    ],
    [
      '/fish/',
      ['/fish/', '/fish/?id=anything', '/fish/salmon.htm'],
      ['/fish', '/fish.html', '/Fish/Salmon.asp'],
    ],
    [
      '/*.php',
      [
        '/index.php',
        '/filename.php',
        '/folder/filename.php?parameters',
        '/folder/any.php.file.html',
        '/x.php/',
      ],
      ['/', '/windows.PHP'],
    ],
    [
      '/*.php$',
      ['/filename.php', '/folder/filename.php'],
      ['/filename.php?parameters', '/filename.php/', '/x.php5'],
    ],
    ['/fish*.php', ['/fish.php', '/fishheads/catfish.php?parameters'], ['/Fish.PHP']],
    ['/a*b*c$', ['/abc', '/a-b-b-c', '/abcc'], ['/acb', '/abcd']],
    ['/a*a$', ['/aa', '/aba', '/aaa'], ['/a', '/ab']],
    ['/a**b', ['/ab', '/axb'], ['/ba']],
    ['/a*$', ['/a', '/abc'], ['/b']],
    ['/a$b', ['/a$b', '/a%24bc'], ['/a', '/ab']],
    ['/a$$', ['/a$'], ['/a', '/a$b']],
    ['/x?y', ['/x?y', '/x?yz'], ['/x', '/xay']],
  ])('%s', (pattern, matching, others) => {
    const text = `User-agent: *\nDisallow: ${pattern}\n`
    for (const path of matching) expect([path, allows(text, path)]).toEqual([path, false])
    for (const path of others) expect([path, allows(text, path)]).toEqual([path, true])
  })

  test.each(['fish', 'https://example.org/fish', '$', ''])(
    'that cannot begin a path (%s) is skipped',
    pattern => {
      const text = `User-agent: *\nDisallow: ${pattern}\n`
      for (const path of ['/', '/fish', '/https://example.org/fish']) expect(allows(text, path)).toBe(true)
    },
  )

  test('of many stars is matched without backtracking', () => {
    const hostile = `User-agent: *\nDisallow: /${'*a'.repeat(4_000)}b$\nDisallow: /${'a*'.repeat(4_000)}b\n`
    expect(allows(hostile, `/${'a'.repeat(8_000)}`)).toBe(true)
    expect(allows(hostile, `/${'a'.repeat(8_000)}b`)).toBe(false)
  })

  test('agrees with a matcher that tries everything', () => {
    const fits = (pattern: string, path: string): boolean => {
      if (pattern === '' || (pattern === '$' && path === '')) return true
      if (pattern[0] === '*')
        return fits(pattern.slice(1), path) || (path !== '' && fits(pattern, path.slice(1)))
      return path !== '' && pattern[0] === path[0] && fits(pattern.slice(1), path.slice(1))
    }
    const pieces = fc.array(fc.constantFrom('a', 'b', '/', '*', '?'), { maxLength: 8 }).map(x => x.join(''))
    const rule = fc.tuple(fc.boolean(), pieces, fc.constantFrom('', '$'))
    const path = fc.array(fc.constantFrom('a', 'b', '/', '?'), { maxLength: 8 }).map(x => `/${x.join('')}`)
    // Hundreds of rules are not indexed at once: the first answers come another way, and have to be the same.
    const others = Array.from({ length: 300 }, (_, i) => `Disallow: /cc${i}/*dd$`).join('\n')
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 8 }), path, (rules, target) => {
        const patterns = rules.map(([isAllow, middle, end]) => ({ isAllow, pattern: `/${middle}${end}` }))
        const lines = patterns.map(({ isAllow, pattern }) => `${isAllow ? 'Allow' : 'Disallow'}: ${pattern}`)
        const hits = patterns.filter(({ pattern }) => fits(pattern, target))
        const longest = Math.max(0, ...hits.map(({ pattern }) => pattern.length))
        const deciding = hits.filter(({ pattern }) => pattern.length === longest)
        const expected = deciding.length === 0 || deciding.some(({ isAllow }) => isAllow)
        const text = `User-agent: *\n${lines.join('\n')}`
        expect(allows(text, target)).toBe(expected)
        expect(allows(`${text}\n${others}`, target)).toBe(expected)
      }),
      { numRuns: 1_500 },
    )
  })

  test('of a long file says the same of a path the first time and the hundredth, and names the same line', () => {
    const respelled = (i: number) => `/%64ir${i}/\u00e4 %2f${i}?u=%2Fx`
    const lines = Array.from(
      { length: 2_000 },
      (_, i) =>
        [
          `Disallow: /p/${i}/`,
          `Disallow: /*/q${i}$`,
          `Disallow: ${respelled(i)}`,
          `Allow: /p/${i}/ok/index.html`,
        ][i % 4],
    )
    const rules = RobotsRules.parse(Buffer.from(`User-agent: *\n${lines.join('\n')}`), 'orbweaver')
    const paths = Array.from({ length: 40 }, (_, i) => [
      ...[`/p/${i}/x`, `/any/q${i}`, `/any/q${i}/`, `/p/${i}/ok/`, `/p/${i}/ok/x`, `/other/${i}`],
      `/dir${i}/%C3%A4%20%2F${i}?u=/xy`,
    ]).flat()
    const first = paths.slice(0, 16).map(path => rules.allows(`http://host.test${path}`))
    const later = paths.map(path => rules.allows(`http://host.test${path}`))
    expect(later.slice(0, 16)).toEqual(first)
    const forbidden = paths.filter((_, i) => !later[i]!.allowed)
    expect(forbidden.sort()).toEqual(
      Array.from(
        { length: 40 },
        (_, i) =>
          [`/p/${i}/x /p/${i}/ok/ /p/${i}/ok/x`, `/any/q${i}`, `/dir${i}/%C3%A4%20%2F${i}?u=/xy`, ''][i % 4],
      )
        .flatMap(said => said.split(' '))
        .filter(Boolean)
        .sort(),
    )
    expect(later[paths.indexOf('/p/8/x')]!.line).toEqual({ number: 10, text: 'Disallow: /p/8/' })
  })
})

describe('of several rules', () => {
  // Google's documented order of precedence, then the RFC's.
  test.each([
    ['Allow: /p\nDisallow: /', '/page', true],
    ['Allow: /folder\nDisallow: /folder', '/folder/page', true],
    ['Allow: /page\nDisallow: /*.htm', '/page.htm', false],
    ['Allow: /page\nDisallow: /*.ph', '/page.php5', true],
    ['Allow: /$\nDisallow: /', '/', true],
    ['Allow: /$\nDisallow: /', '/page.htm', false],
    ['Allow: /example/page/\nDisallow: /example/page/disallowed.gif', '/example/page/disallowed.gif', false],
    ['Allow: /example/page/\nDisallow: /example/page/disallowed.gif', '/example/page/', true],
    ['Disallow: /a\nAllow: /a/b\nDisallow: /a/b/c', '/a/b/cd', false],
    ['Disallow: /a\nAllow: /a/b\nDisallow: /a/b/c', '/a/bd', true],
    ['Disallow: /a\nAllow: /a/b\nDisallow: /a/b/c', '/ab', false],
    ['Disallow: /x/\nAllow: /x/*.html$\nDisallow: /x/secret', '/x/secret.html', true],
    ['Disallow: /x/\nAllow: /x/*.html$\nDisallow: /x/secret-ones', '/x/secret-ones.html', false],
    ['Disallow: /\nAllow: /dir/index.html', '/dir/', true],
    ['Disallow: /\nAllow: /dir/index.html', '/dir/index.html', true],
    ['Disallow: /\nAllow: /dir/index.html', '/dir/index.htm', false],
    ['Disallow: /\nAllow: /dir/index.html', '/dir/other', false],
  ])('the longest decides: %j %s', (rules, path, expected) => {
    expect(allows(`User-agent: *\n${rules}`, path)).toBe(expected)
  })

  test('the line that decided is named', () => {
    const rules = parse('# hello\r\n\r\nUser-agent: *\r\n  Disallow :  /größe  # why\r\nAllow: /größe/1\r\n')
    const line = { number: 4, text: 'Disallow :  /größe' }
    expect(rules.allows('https://example.org/gr%C3%B6%C3%9Fe/2')).toEqual({ allowed: false, line })
    expect(rules.allows('https://example.org/gr%C3%B6%C3%9Fe/1').line?.number).toBe(5)
    expect(rules.allows('https://example.org/')).toEqual({ allowed: true })
  })

  test('none forbids /robots.txt itself', () => {
    expect(allows('User-agent: *\nDisallow: /', '/robots.txt')).toBe(true)
    expect(allows('User-agent: *\nDisallow: /', '/robots.txt.bak')).toBe(false)
    expect(parse('User-agent: *\nDisallow: /').allows('https://example.org').allowed).toBe(false)
  })
})

describe('spellings of a path that mean the same', () => {
  test.each([
    ['/foo/bar?baz=quz', '/foo/bar?baz=quz', false],
    ['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https%3A%2F%2Ffoo.bar', false],
    ['/foo/bar?baz=https%3a%2F%2Ffoo.bar', '/foo/bar?baz=https://foo.bar', false],
    ['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https://foo.bar', false],
    ['/*%3Ared', '/shop?colour%3Ared', false],
    ['/*:red', '/shop?colour%3Ared', false],
    ['/foo/bar/ツ', '/foo/bar/%E3%83%84', false],
    ['/foo/bar/ツ', '/foo/bar/ツ', false],
    ['/foo/bar/%E3%83%84', '/foo/bar/%e3%83%84', false],
    ['/foo/bar/%e3%83%84', '/foo/bar/ツ', false],
    ['/foo/bar/%62%61%7A', '/foo/bar/baz', false],
    ['/foo/bar/baz', '/foo/bar/%62%61%7A', false],
    ['/path/file-with-a-%2A.html', '/path/file-with-a-*.html', false],
    ['/path/file-with-a-%2A.html', '/path/file-with-a-b.html', true],
    ['/path/foo-%24', '/path/foo-$', false],
    ['/path/foo-%24', '/path/foo-', true],
    ['/a%2Fb', '/a/b', true],
    ['/a/b', '/a%2Fb', true],
    ['/a%2fb', '/a%2Fb', false],
    ['/a%3Fb', '/a?b', true],
    ['/two words', '/two%20words', false],
    ["/q?x='y'", '/q?x=%27y%27', false],
    ['/q?{a|b}', '/q?{a|b}', false],
    ['/q?{a|b}', '/q?%7Ba%7Cb%7D', false],
    ['/100%', '/100%', false],
    ['/100%zz', '/100%zz', false],
  ])('%s and %s', (pattern, path, expected) => {
    expect(allows(`User-agent: *\nDisallow: ${pattern}`, path)).toBe(expected)
  })

  test('any path is matched by itself, encoded or not', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), text => {
        const encoded = `/${encodeURIComponent(text).replaceAll('*', '%2A')}`
        const rules = parse(`User-agent: *\nDisallow: ${encoded}`)
        expect(rules.allows(`https://example.org${encoded}`).allowed).toBe(false)
        expect(rules.allows(`https://example.org${encoded.toLowerCase()}/`).allowed).toBe(
          encoded.replace(/%../g, '') !== encoded.toLowerCase().replace(/%../g, ''),
        )
      }),
    )
  })
})

test('a verdict is the same for every spelling of the escapes in a URL (RFC 9309, 2.2.2)', () => {
  const pieces = [
    '/',
    'a',
    'f',
    '%66',
    '%61',
    '%2f',
    '%2F',
    '%c3%a9',
    '%C3%A9',
    'é',
    '%7E',
    '~',
    '%',
    '%2',
    '%65',
    '?',
    '*',
    '$',
  ]
  const path = fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map(parts => `/${parts.join('')}`)
  fc.assert(
    fc.property(fc.array(path, { minLength: 1, maxLength: 3 }), path, (patterns, target) => {
      const rules = RobotsRules.parse(
        Buffer.from(`User-agent: *\nDisallow: ${patterns.join('\nDisallow: ')}\n`),
        'x',
      )
      const [written, normal] = [parseUrl(`http://h${target}`)!, normaliseUrl(`http://h${target}`)!]
      expect(rules.allows(normal).allowed).toBe(rules.allows(written).allowed)
    }),
    { numRuns: 5_000 },
  )
})
