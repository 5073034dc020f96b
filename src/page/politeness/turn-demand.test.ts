import { expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { TurnDemand } from './turn-demand.js'

it('a turn that others want is kept for ten seconds yet, and then passed on', () => {
  const clock = new ManualClock()
  const passing = new TurnDemand(clock)
  for (let second = 0; second < 10; second++) {
    expect(passing.due(['g', ...(second > 4 ? ['h'] : [])])).toEqual(new Set())
    clock.advance(1_000)
  }
  expect(passing.due(['g', 'h'])).toEqual(new Set(['g']))
})

it('what nobody wanted any more is kept anew', () => {
  const clock = new ManualClock()
  const passing = new TurnDemand(clock)
  passing.due(['g'])
  clock.advance(60_000)
  expect(passing.due(['g'])).toEqual(new Set())
})
