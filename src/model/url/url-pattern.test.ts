import { describe, expect, it } from 'vitest'
import { compilePattern } from './url-pattern.js'

const LONG = `https://example.org/${'a'.repeat(2_000)}!`

describe('a pattern of --include and --exclude', () => {
  it.each([
    '\\.pdf$',
    '^https://[^/]+/docs/',
    '(foo|bar)/\\d{4}/',
    '(?!x)/y',
    '(a)\\1',
    '[*+](x)+',
    'a{2,3}',
  ])('%s is taken', source => expect(compilePattern(source)).toBeInstanceOf(RegExp))

  it.each(['(', '[z-a]', '*a'])('%s is no pattern', source =>
    expect(compilePattern(source)).toContain('not a regular expression'),
  )

  it.each(['(?=(a+)+$)b', '(a+)+\\1$', '(?:a{1,50}){1,50}$', '(?<!x)(a|aa)+$'])('%s is refused', source =>
    expect(compilePattern(source)).toContain('could take forever'),
  )

  it.each(['(a+)+$', '(a|aa)+$', '.*.*.*.*.*x$', '(.*)*y$', '([a-z]+)*\\d$'])(
    '%s ends on any URL',
    source => {
      const pattern = compilePattern(source)
      expect(pattern instanceof RegExp && pattern.test(LONG)).toBe(false)
    },
  )
})
