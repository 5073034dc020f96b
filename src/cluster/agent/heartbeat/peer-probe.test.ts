import { expect, it } from 'vitest'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { LocalBus } from '../../../bus/index.js'
import { PeerProbe } from './peer-probe.js'

const settled = async () => {
  for (let i = 0; i < 9; i++) await Promise.resolve()
}

it('agents know how far the others are, and forget those that no longer answer', async () => {
  const clock = new ManualClock()
  const hub = new LocalBus()
  const [a, b] = [hub.join(), hub.join()]
  const here = new PeerProbe(clock, a, 1)
  const there = new PeerProbe(clock, b, 2)
  // The first answer comes late, from a thread that is still starting.
  let lateMs = 1_080
  a.subscribe(message => {
    clock.advance(lateMs)
    here.receive(message)
  })
  const unsubscribe = b.subscribe(message => there.receive(message))
  const look = async () => {
    clock.advance(10_000)
    here.look()
    await settled()
  }
  await look()
  expect(here.peers).toEqual({})
  lateMs = 4
  await look()
  // The light answer came after 4 ms, the heavy one after 4 more.
  const measured = { 2: { rttMs: 4, bytesPerSecond: 768_000 } }
  expect(here.peers).toEqual(measured)
  lateMs = 7
  await look()
  expect(here.peers).toEqual(measured)
  for (const _ of [1, 2]) await look()
  expect(here.peers).toEqual({ 2: { rttMs: 7, bytesPerSecond: 438_857 } })
  unsubscribe()
  await look()
  await look()
  expect(here.peers).toEqual({})
})

it('what buses hold back to send it with others is no distance', () => {
  const clock = new ManualClock()
  const here = new PeerProbe(clock, new LocalBus().join(), 1)
  for (const _ of [1, 2]) {
    const at = clock.monotonic()
    clock.advance(303)
    here.receive({ kind: 'pong', to: 1, from: 2, at, bytes: 0, heldMs: 300 })
  }
  expect(here.peers[2].rttMs).toBe(3)
})
