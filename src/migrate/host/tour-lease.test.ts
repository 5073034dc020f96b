/** The host's own clocks decide: whatever a home sends, and when. */
import { expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { MOST_NONCES, TOUR_LEASE_MAX_MS } from '../limits.js'
import { TourLease } from './tour-lease.js'

function leased(leftMs = 6_000) {
  const clock = new ManualClock()
  const lease = new TourLease(clock)
  lease.renew(lease.issue(), leftMs)
  return { clock, lease }
}

it('nothing may be read before the first renewal', () => {
  expect(new TourLease(new ManualClock()).holds).toBe(false)
})

it('a lease holds but for its last sixth, and requests are aborted in its last thirtieth', () => {
  const { clock, lease } = leased()
  clock.advance(4_999)
  expect(lease.holds).toBe(true)
  clock.advance(1)
  expect([lease.holds, lease.signal.aborted]).toEqual([false, false])
  clock.advance(800)
  expect(lease.signal.aborted).toBe(true)
})

it('a renewal counts from the nonce that it returns, however late it comes', () => {
  const { clock, lease } = leased()
  const nonce = lease.issue()
  clock.advance(3_000)
  expect(lease.renew(nonce, 6_000)).toBe(true)
  clock.advance(1_999)
  expect(lease.holds).toBe(true)
  clock.advance(1)
  expect(lease.holds).toBe(false)
})

it('a renewal that comes after its own lease ends the tour', () => {
  const { clock, lease } = leased(60_000)
  const nonce = lease.issue()
  clock.advance(7_000)
  expect(lease.renew(nonce, 6_000)).toBe(false)
  expect(lease.signal.aborted).toBe(true)
})

it('a nonce makes older ones void, and gains nothing when it comes again', () => {
  const { clock, lease } = leased()
  const [first, second] = [lease.issue(), lease.issue()]
  expect(lease.renew(second, 6_000)).toBe(true)
  expect(lease.renew(first, 6_000)).toBe(false)
  expect(lease.renew('00'.repeat(16), 6_000)).toBe(false)
  clock.advance(4_000)
  expect(lease.renew(second, 6_000)).toBe(true)
  clock.advance(1_000)
  expect(lease.holds).toBe(false)
})

it('a lease that is over never begins again', () => {
  const { clock, lease } = leased()
  const nonce = lease.issue()
  clock.advance(6_000)
  expect(lease.renew(nonce, 60_000)).toBe(false)
  expect(lease.renew(lease.issue(), 60_000)).toBe(false)
  expect(lease.holds).toBe(false)
})

it('a frozen process notices by either clock, before any timer runs', () => {
  let [monotonic, now] = [0, 0]
  const clock = {
    grainMs: 0,
    monotonic: () => monotonic,
    now: () => now,
    after: () => () => {},
    soon: () => {},
  }
  const lease = new TourLease(clock)
  lease.renew(lease.issue(), 6_000)
  monotonic = 5_000
  expect(lease.holds).toBe(false)
  monotonic = 0
  now = 5_000
  expect(lease.holds).toBe(false)
})

it('no lease is longer than a host allows, and few nonces are kept', () => {
  const { lease } = leased()
  expect(lease.renew(lease.issue(), TOUR_LEASE_MAX_MS + 1)).toBe(false)
  const nonces = Array.from({ length: MOST_NONCES + 1 }, () => lease.issue())
  expect(lease.renew(nonces[0]!, 6_000)).toBe(false)
  expect(lease.renew(nonces[1]!, 6_000)).toBe(true)
})
