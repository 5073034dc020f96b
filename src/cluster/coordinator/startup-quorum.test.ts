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
  const answers = [0, 1, 2, 1, 0].map(reported => all.isOver(reported, 0))
  expect(answers).toEqual([false, false, true, true, true])
})

it('waits for the next agent as long as for the one before', () => {
  const { clock, all } = gathering(3)
  expect(all.isOver(1, 0)).toBe(false)
  clock.advance(WAIT - 1)
  expect(all.isOver(2, 0)).toBe(false)
  clock.advance(WAIT - 1)
  expect(all.isOver(2, 0)).toBe(false)
  clock.advance(1)
  expect(all.isOver(2, 0)).toBe(true)
})

it('does not begin to wait before the first has reported: with nobody there is nothing to grant', () => {
  const { clock, all } = gathering(2)
  clock.advance(10 * WAIT)
  expect(all.isOver(0, 0)).toBe(false)
  clock.advance(10 * WAIT)
  expect(all.isOver(1, 0)).toBe(false)
  clock.advance(WAIT)
  expect(all.isOver(1, 0)).toBe(true)
})

it('waits for an agent that is starting however long that takes, and after its end as for any other', () => {
  const { clock, all } = gathering(2)
  for (let wait = 0; wait < 10; wait++) {
    expect(all.isOver(1, 1)).toBe(false)
    clock.advance(WAIT)
  }
  expect(all.isOver(1, 0)).toBe(true)
})

it('is over when the agent that was starting has reported', () => {
  const { clock, all } = gathering(2)
  expect(all.isOver(1, 1)).toBe(false)
  clock.advance(3 * WAIT)
  expect(all.isOver(1, 1)).toBe(false)
  expect(all.isOver(2, 0)).toBe(true)
})
