import { beforeEach, describe, expect, it } from 'vitest'
import { PhaseClock } from './phase-clock.js'

const GUARD = 100
const MAX_AGE = 5_000
const LEDGER = 1_800_000_000_000

describe('the phase clock', () => {
  let monotonic = 0
  let stepMs = 0
  let clock = newClock()

  function newClock(skewMs = 0): PhaseClock {
    return new PhaseClock({
      monotonic: () => monotonic,
      wall: () => 5e9 + monotonic + stepMs,
      guardMs: GUARD,
      maxAgeMs: MAX_AGE,
      skewMs,
    })
  }

  /** A heartbeat that took so long; the ledger's time is `LEDGER` more than ours, and what it jumped by. */
  function beat(tookMs: number, jumpMs = 0): boolean {
    const sentAt = monotonic
    const now = LEDGER + monotonic + tookMs / 2 + jumpMs
    monotonic += tookMs
    return clock.measured(sentAt, now)
  }

  beforeEach(() => {
    monotonic = 1_000
    stepMs = 0
    clock = newClock()
  })

  it('shows the time of the ledger, and goes on by the monotonic clock', () => {
    expect(clock.now()).toBeNull()
    beat(10)
    monotonic += 700
    expect(clock.now()).toBeCloseTo(LEDGER + monotonic, 3)
  })

  it('is silent when it may be wrong by as much as the guard', () => {
    beat(2 * GUARD - 4)
    expect(clock.now()).not.toBeNull()
    clock = newClock()
    beat(2 * GUARD - 2)
    expect(clock.now()).toBeNull()
    // A better measure takes the place of a worse one, and not the other way round.
    beat(4)
    beat(190)
    expect(clock.now()).toBeCloseTo(LEDGER + monotonic, 3)
  })

  it('is silent once its last measure is old', () => {
    beat(10)
    monotonic += MAX_AGE + 1
    expect(clock.now()).toBeNull()
    beat(10)
    expect(clock.now()).not.toBeNull()
  })

  it('is silent from the moment its machine slept or its wall clock was set, until the next heartbeat', () => {
    beat(10)
    stepMs = -60_000
    expect(clock.now()).toBeNull()
    beat(10)
    expect(clock.now()).not.toBeNull()
  })

  it('is silent after a jump of the ledger for as long as others may not have noticed', () => {
    expect(beat(10)).toBe(true)
    expect(beat(10, 3_000)).toBe(false)
    monotonic += MAX_AGE - 100
    beat(10, 3_000)
    expect(clock.now()).toBeNull()
    monotonic += 200
    expect(clock.now()).toBeCloseTo(LEDGER + monotonic + 3_000, 3)
  })

  it('knows how wrong a measure may be: half of what the heartbeat took, and more the older it is', () => {
    expect(clock.doubtMs()).toBe(Number.POSITIVE_INFINITY)
    beat(20)
    expect(clock.doubtMs()).toBeCloseTo(11, 6)
    monotonic += 1_000
    expect(clock.doubtMs()).toBeCloseTo(11.2, 6)
    expect(clock.doubtMs(2_000)).toBeCloseTo(11.6, 6)
  })

  it('does not know of a skew that it is given in tests, however large', () => {
    clock = newClock(GUARD)
    beat(10)
    beat(12)
    expect(clock.now()).toBeCloseTo(LEDGER + monotonic + GUARD, 3)
    expect(clock.doubtMs()).toBeLessThan(7)
  })
})
