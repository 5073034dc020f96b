import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { LeaseMargin } from './lease-margin.js'

const LEASE = 30_000

function begin() {
  const clock = new ManualClock()
  const stopping = new AbortController()
  const leaseMargin = new LeaseMargin(clock, LEASE, stopping.signal)
  leaseMargin.renew(leaseMargin.sending())
  return { clock, stopping, leaseMargin }
}

describe('an agent sends a request only with a margin of its lease left', () => {
  it('counts from before the renewal was sent, not from its answer', () => {
    const { clock, leaseMargin } = begin()
    const sent = leaseMargin.sending()
    clock.advance(20_000)
    leaseMargin.renew(sent)
    expect(leaseMargin.holds).toBe(true)
    clock.advance(5_000)
    expect(leaseMargin.holds).toBe(false)
  })

  it('cuts off what is under way before the leases end, and begins anew once they are renewed', () => {
    const { clock, leaseMargin } = begin()
    const { signal } = leaseMargin
    clock.advance(LEASE - 1_500)
    expect(signal.aborted).toBe(false)
    clock.advance(600)
    expect(signal.aborted).toBe(true)
    leaseMargin.renew(leaseMargin.sending())
    expect(leaseMargin.holds).toBe(true)
    expect(leaseMargin.signal.aborted).toBe(false)
  })

  it('lets those who wait go on with the renewal, and sends them away when their site is gone or the agent stops', async () => {
    const { clock, stopping, leaseMargin } = begin()
    clock.advance(LEASE)
    const waits = leaseMargin.held(() => false)
    leaseMargin.renew(leaseMargin.sending())
    clock.advance(1_000)
    expect(await waits).toBe(true)
    clock.advance(LEASE)
    expect(await leaseMargin.held(() => true)).toBe(false)
    const stopped = leaseMargin.held(() => false)
    stopping.abort()
    expect(await stopped).toBe(false)
    expect(leaseMargin.signal.aborted).toBe(true)
  })
})
