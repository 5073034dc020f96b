import { expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { LIMITS } from '../../model/index.js'
import { StartupQuorum } from './startup-quorum.js'

const WAIT = LIMITS.agentGatherMs

function gathering(expected: number) {
  const clock = new ManualClock()
  clock.advance(1_000)
  return { clock, all: new StartupQuorum(clock, expected) }
}

it('is over when all have reported, and stays so when one of them goes', () => {
  const { all } = gathering(2)
  const answers = [0, 1, 2, 1, 0].map(reported => all.isOver(reported))
  expect(answers).toEqual([false, false, true, true, true])
})

it('waits for the next agent as long as for the one before', () => {
  const { clock, all } = gathering(3)
  expect(all.isOver(1)).toBe(false)
  clock.advance(WAIT - 1)
  expect(all.isOver(2)).toBe(false)
  clock.advance(WAIT - 1)
  expect(all.isOver(2)).toBe(false)
  clock.advance(1)
  expect(all.isOver(2)).toBe(true)
})

it('does not begin to wait before the first has reported: with nobody there is nothing to hand out', () => {
  const { clock, all } = gathering(2)
  clock.advance(10 * WAIT)
  expect(all.isOver(0)).toBe(false)
  clock.advance(10 * WAIT)
  expect(all.isOver(1)).toBe(false)
  clock.advance(WAIT)
  expect(all.isOver(1)).toBe(true)
})
