import { describe, expect, test } from 'vitest'
import { LIMITS, outcomeRule, SeededRandom } from '../../model/index.js'
import { backOffMs } from './back-off.js'

const none = { next: () => 0, bytes: () => new Uint8Array(0) }
const busy = outcomeRule('HTTP_BUSY')
const failing = outcomeRule('HTTP_SERVER_ERROR')

describe('a site that fails is left alone for longer and longer', () => {
  const waits = (rule: typeof busy, asked: number | null) =>
    [1, 2, 3, 4, 5].map(failures => backOffMs(rule, failures, asked, none))

  test('429 without Retry-After: from the first time on, twice as long every time', () => {
    expect(waits(busy, null)).toEqual([10_000, 20_000, 40_000, 80_000, 160_000])
  })

  test('5xx and timeouts: from the second on, for one may be the fault of one page', () => {
    expect(waits(failing, null)).toEqual([0, 1_000, 2_000, 4_000, 8_000])
  })

  test('Retry-After is kept, and exceeded when keeping to it does not help', () => {
    expect(waits(busy, 3_000)).toEqual([3_000, 3_000, 3_000, 4_000, 8_000])
    expect(waits(busy, 0)).toEqual([0, 1_000, 2_000, 4_000, 8_000])
  })

  test('what says nothing of the site does not slow it', () => {
    expect(backOffMs(outcomeRule('HTTP_CLIENT_ERROR'), 3, null, none)).toBe(0)
    expect(backOffMs(outcomeRule('BODY_CUT'), 3, null, none)).toBe(0)
  })

  test.each([
    'HTTP_BUSY',
    'HTTP_SERVER_ERROR',
    'HEADERS_TOO_SLOW',
    'BODY_TOO_SLOW',
    'CONNECT_TIMEOUT',
  ] as const)('%s so often in a row sets the site aside, whatever it asks for', code => {
    expect(backOffMs(outcomeRule(code), LIMITS.siteFailures - 1, null, none)).not.toBeNull()
    expect(backOffMs(outcomeRule(code), LIMITS.siteFailures, 5_000, none)).toBeNull()
  })

  test('sites that failed together do not come back together: the same chance, the same waits', () => {
    const spread = (seed: number) => {
      const random = new SeededRandom(seed)
      return Array.from({ length: 50 }, () => backOffMs(busy, 3, null, random))
    }
    expect(new Set(spread(1)).size).toBeGreaterThan(40)
    for (const waitMs of spread(1)) expect(waitMs).toBeGreaterThanOrEqual(40_000)
    for (const waitMs of spread(1)) expect(waitMs).toBeLessThanOrEqual(50_000)
    expect(spread(7)).toEqual(spread(7))
  })
})
