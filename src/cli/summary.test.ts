import fc from 'fast-check'
import { expect, it } from 'vitest'
import { number } from './summary.js'

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
