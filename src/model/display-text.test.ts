import fc from 'fast-check'
import { expect, it } from 'vitest'
import { forDisplay, forTerminal, jsonForTerminal, number, shellWord } from './display-text.js'

it.each([
  ['http://a.test/x?token=abc&y=1 is no sitemap', 'http://a.test/x?token=…&y=1 is no sitemap'],
  ['?access_token=1.2-3_4#top', '?access_token=…#top'],
  ['/a?X-Amz-Signature=0f&X-Amz-Credential=me%2F1', '/a?X-Amz-Signature=…&X-Amz-Credential=…'],
  ['/a;jsessionid=1?api_key=k&apikey=l&password=m', '/a;jsessionid=…?api_key=…&apikey=…&password=…'],
  ['/a?page=2&sort=name', '/a?page=2&sort=name'],
  ['said \x1b[2J\x07 once', 'said  [2J  once'],
])('%j is shown as %j', (text, shown) => expect(forDisplay(text)).toBe(shown))

it('is short', () => expect(forDisplay('x'.repeat(5_000)).length).toBeLessThan(400))

it.each([
  ['example.org-2026-11-15', 'example.org-2026-11-15'],
  ['my crawl', "'my crawl'"],
  ["Anna's", "'Anna'\\''s'"],
  ['http://a.test/?a=1&b=$HOME', "'http://a.test/?a=1&b=$HOME'"],
  ['', "''"],
  ["a\x1b[2J\n'", "$'a\\x1b[2J\\x0a\\''"],
  ['\x9b\\', "$'\\xc2\\x9b\\\\'"],
])('%j is pasted as %s', (text, word) => expect(shellWord(text)).toBe(word))

it('keeps lines, and nothing that a terminal obeys', () => {
  expect(forTerminal('a\x1b[2J\tb\r\nc\rd\n\x9b31m\u202e')).toBe('a [2J\tb\r\nc d\n 31m ')
})

it('escapes in JSON what JSON.stringify leaves', () => {
  const value = { 'a\x9b': 'b\x1b\x7f\u202e\u2028\u{e0001}\n' }
  const json = jsonForTerminal(JSON.stringify(value))
  expect(json).toMatch(/^[ -~]+$/)
  expect(JSON.parse(json)).toEqual(value)
})

it('shows numbers as toLocaleString does', () => {
  const decimals = fc.integer({ min: 0, max: 1e12 }).map(thousandths => thousandths / 1_000)
  fc.assert(
    fc.property(fc.oneof(fc.maxSafeNat(), decimals), value => {
      expect(number(value)).toBe(value.toLocaleString('en-US'))
    }),
  )
  expect([0, 999, 1_000, 12_345_678, -1_234].map(number)).toEqual([
    '0',
    '999',
    '1,000',
    '12,345,678',
    '-1,234',
  ])
})
