import { expect, test } from 'vitest'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { LazyDeadline } from './lazy-deadline.js'

function deadline() {
  const clock = new ManualClock()
  const struck: number[] = []
  return { clock, struck, lazy: new LazyDeadline(clock, () => struck.push(clock.monotonic())) }
}

test('strikes at its time, once', () => {
  const { clock, struck, lazy } = deadline()
  lazy.set(100, 0)
  clock.advance(99)
  expect(struck).toEqual([])
  clock.advance(1_000)
  expect(struck).toEqual([100])
})

test('moved on a thousand times it needs one timer, and strikes at the last', () => {
  const { clock, struck, lazy } = deadline()
  for (let i = 0; i < 1000; i++) {
    lazy.set(i + 100, i)
    clock.advance(1)
    expect(clock.pending).toBeLessThanOrEqual(1)
  }
  clock.advance(1_000)
  expect(struck).toEqual([1_099])
})

test('moved to an earlier time it strikes then', () => {
  const { clock, struck, lazy } = deadline()
  lazy.set(1_000, 0)
  lazy.set(10, 0)
  clock.advance(2_000)
  expect(struck).toEqual([10])
})

test('cleared it does not strike; cancelled it leaves no timer', () => {
  const { clock, struck, lazy } = deadline()
  lazy.set(10, 0)
  lazy.clear()
  clock.advance(100)
  lazy.set(200, 100)
  lazy.cancel()
  expect(clock.pending).toBe(0)
  clock.advance(1_000)
  expect(struck).toEqual([])
})
