/**
 * A kill that waits for the next pack of its victim strikes once, whatever befalls the victim meanwhile.
 * (Found as a small run without a death, one in thousands.)
 */
import { expect, it } from 'vitest'
import { simulate, smallRun } from '../../src/simulate/index.js'

const fault = (kind: 'kill-after-store' | 'zombie', forMs: number) => ({
  kind,
  after: 0.2,
  agent: 1,
  forMs,
  byMs: 0,
  isSeen: true,
})

const deaths = async (frozenMs: number) => {
  const faults = [fault('kill-after-store', 10_000), ...(frozenMs > 0 ? [fault('zombie', frozenMs)] : [])]
  const { violations, struck } = await simulate({ ...smallRun(6), faults })
  expect(violations).toEqual([])
  return { deaths: struck.get('death') ?? 0, revivals: struck.get('revival') ?? 0 }
}

it('the victim dies when it has stored its pack, and nobody after it', async () => {
  expect(await deaths(0)).toEqual({ deaths: 1, revivals: 0 })
})

it('where the victim stands still, another dies', async () => {
  // Longer than the crawl takes.
  expect(await deaths(200_000)).toMatchObject({ deaths: 1 })
})

it('and the one that stood still is not struck when it comes back and stores its pack', async () => {
  expect(await deaths(12_000)).toEqual({ deaths: 1, revivals: 1 })
})
