import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { retryAfterHeaderMs } from '../fetch/http/index.js'
import { delayAfter, longestDelay } from './politeness.js'

describe('the delay of a site', () => {
  test.each([
    ['auto', 0, 1_000],
    ['auto', 99, 1_000],
    ['auto', 250, 2_500],
    ['auto', 60_000, 30_000],
    [0, 5_000, 0],
    [400, 5_000, 400],
    [300_000, 0, 300_000],
  ] as const)('%s after a response of %d ms is %d ms', (delay, responseMs, expected) => {
    expect(delayAfter(delay, responseMs)).toBe(expected)
    expect(longestDelay(delay)).toBeGreaterThanOrEqual(expected)
  })
})

describe('Retry-After', () => {
  const now = Date.UTC(1994, 10, 6, 8, 49, 0)
  const dayMs = 24 * 3_600_000

  test.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['99999999999999999999', dayMs],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 37_000],
    ['Sun Nov  6 08:49:37 1994', 37_000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
    ['Fri, 06 Nov 2093 08:49:37 GMT', dayMs],
    [undefined, null],
    ['', null],
    ['-1', null],
    ['59.123', 59_123],
    ['1.', null],
    ['1e3', null],
    ['soon', null],
    ['2094-11-06', null],
    ['Sun, 99 Foo 1994 08:49:37 GMT', null],
  ])('%s', (value, expected) => {
    expect(retryAfterHeaderMs(value, now)).toBe(expected)
  })

  test('is at most a day, whatever it says', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.date().map(String), fc.nat().map(String)), value => {
        const waitMs = retryAfterHeaderMs(value, now)
        expect(waitMs === null || (waitMs >= 0 && waitMs <= dayMs)).toBe(true)
      }),
    )
  })
})
