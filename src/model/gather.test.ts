import { expect, it } from 'vitest'
import { firstIndex, groupBy, inBatches } from './index.js'

it('groups items in the order in which their keys come', () => {
  const groups = groupBy([3, 10, 4, 12], number => number % 3)
  expect([...groups]).toEqual([
    [0, [3, 12]],
    [1, [10, 4]],
  ])
})

it.each([
  [0, []],
  [
    4,
    [
      [0, 1],
      [2, 3],
    ],
  ],
  [5, [[0, 1], [2, 3], [4]]],
])('deals %i items in batches of two', async (count, expected) => {
  async function* items() {
    for (let i = 0; i < count; i++) yield i
  }
  const batches: number[][] = []
  for await (const batch of inBatches(items(), 2)) batches.push(batch)
  expect(batches).toEqual(expected)
})

it('finds the first index from which on something is true', () => {
  for (const start of [0, 1, 4, 7]) expect(firstIndex(7, i => i >= start)).toBe(start)
  expect(firstIndex(0, () => true)).toBe(0)
})
