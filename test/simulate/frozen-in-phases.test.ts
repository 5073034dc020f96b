/**
 * In phases a node that stands still cannot cut off its request when its window ends. P5 makes an exception
 * for that one request. (A node that is awake and does not cut off its requests is the mutant `no-cut`.)
 */
import { expect, it } from 'vitest'
import { simulate, smallRun } from '../../src/simulate/index.js'

/** Its run freezes an agent 26 ms before the end of a window, with a request under way. */
const SEED = 2_077_212_620

it('a request that a frozen node could not cut off is not held against the next', async () => {
  const run = smallRun(SEED)
  expect(run.assign).toBe('phases')
  expect((await simulate(run)).violations).toEqual([])
})
