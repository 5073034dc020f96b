import { expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { WakeUp } from '../../model/index.js'
import { AgentStop } from './agent-stop.js'

it('the first failure stops the agent and is the one that is thrown', () => {
  const stopping = new AgentStop(new WakeUp(new ManualClock()))
  expect([stopping.signal.aborted, stopping.hasFailed]).toEqual([false, false])
  stopping.throwIfFailed()
  stopping.fail(new Error('first'))
  stopping.fail(new Error('second'))
  expect([stopping.signal.aborted, stopping.hasFailed]).toEqual([true, true])
  expect(() => stopping.throwIfFailed()).toThrow('first')
})

it('a stop without a failure throws nothing, and ends waits', async () => {
  const wake = new WakeUp(new ManualClock())
  const stopping = new AgentStop(wake)
  const waiting = wake.wait(1_000)
  stopping.stop()
  await waiting
  stopping.throwIfFailed()
  expect(stopping.signal.aborted).toBe(true)
})
