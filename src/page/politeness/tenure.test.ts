import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { Tenure } from './tenure.js'

const LEASE = 30_000

function begin() {
  const clock = new ManualClock()
  const stopping = new AbortController()
  const tenure = new Tenure(clock, LEASE, stopping.signal)
  tenure.renew(tenure.sending())
  return { clock, stopping, tenure }
}

describe('an agent sends a request only with a margin of its lease left', () => {
  it('counts from before the renewal was sent, not from its answer', () => {
    const { clock, tenure } = begin()
    const sent = tenure.sending()
    clock.advance(20_000)
    tenure.renew(sent)
    expect(tenure.holds).toBe(true)
    clock.advance(5_000)
    expect(tenure.holds).toBe(false)
  })

  it('cuts off what is under way before the leases end, and begins anew once they are renewed', () => {
    const { clock, tenure } = begin()
    const { signal } = tenure
    clock.advance(LEASE - 1_500)
    expect(signal.aborted).toBe(false)
    clock.advance(600)
    expect(signal.aborted).toBe(true)
    tenure.renew(tenure.sending())
    expect(tenure.holds).toBe(true)
    expect(tenure.signal.aborted).toBe(false)
  })

  it('lets those who wait go on with the renewal, and sends them away when their site is gone or the agent stops', async () => {
    const { clock, stopping, tenure } = begin()
    clock.advance(LEASE)
    const waits = tenure.held(() => false)
    tenure.renew(tenure.sending())
    clock.advance(1_000)
    expect(await waits).toBe(true)
    clock.advance(LEASE)
    expect(await tenure.held(() => true)).toBe(false)
    const stopped = tenure.held(() => false)
    stopping.abort()
    expect(await stopped).toBe(false)
    expect(tenure.signal.aborted).toBe(true)
  })
})
