import { describe, expect, it } from 'vitest'
import { systemClock } from '../src/compose/index.js'
import { ManualClock } from '../test/kit/manual-clock.js'
import { StallMeter } from './stall-meter.js'

describe('a watch over time in which nothing could be done', () => {
  it('counts what a stopped thread has missed', async () => {
    const watch = new StallMeter(systemClock)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000)
    await new Promise(resolve => setTimeout(resolve, 10))
    expect(watch.end()).toBeGreaterThanOrEqual(1_400)
  })

  it('counts nothing while time goes by as it should, and leaves no timer behind', () => {
    const clock = new ManualClock()
    const watch = new StallMeter(clock)
    clock.advance(60_000)
    expect(watch.end()).toBe(0)
    expect(clock.pending).toBe(0)
  })
})
