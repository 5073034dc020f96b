/**
 * Without faults the simulated crawl finds every URL, once, and the same seed gives the same history (P2, P3,
 * P8).
 */
import { expect, it } from 'vitest'
import { simulate, smallRun } from '../../src/simulate/index.js'

async function expectTruth(first: number, last: number): Promise<void> {
  for (let seed = first; seed <= last; seed++) {
    const result = await simulate({ ...smallRun(seed), faults: 'none' })
    expect(result.violations, `seed ${seed}`).toEqual([])
    expect(result.acknowledged).toBe(result.pages)
  }
}

it('an undisturbed crawl ends, and every URL has the outcome it must have', () => expectTruth(1, 3))
it('so do seven others', { tags: 'deep' }, () => expectTruth(4, 10))

it('the same seed gives the same history, another seed another (P8)', { timeout: 600_000 }, async () => {
  const hash = async (seed: number) => (await simulate(smallRun(seed))).history.hash
  for (const seed of [3, 4, 8]) expect(await hash(seed)).toBe(await hash(seed))
  expect(await hash(3)).not.toBe(await hash(4))
})
