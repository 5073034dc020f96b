import { expect, it } from 'vitest'
import { ManualClock } from '../../test/kit/manual-clock.js'
import { LocalBus } from '../cluster/index.js'
import { PeerProbe } from './peer-probe.js'

it('agents know how far the others are, and forget those that no longer answer', async () => {
  const clock = new ManualClock()
  const hub = new LocalBus()
  const [a, b] = [hub.join(), hub.join()]
  const here = new PeerProbe(clock, a, 1)
  const there = new PeerProbe(clock, b, 2)
  a.listen(message => {
    clock.advance(4)
    here.hear(message)
  })
  const deaf = b.listen(message => there.hear(message))
  here.look()
  for (let i = 0; i < 9; i++) await Promise.resolve()
  // The light answer came after 4 ms, the heavy one after 4 more.
  const measured = { 2: { rttMs: 4, bytesPerSecond: 2_048_000 } }
  expect(here.peers).toEqual(measured)
  deaf()
  clock.advance(10_000)
  here.look()
  expect(here.peers).toEqual(measured)
  clock.advance(10_000)
  here.look()
  expect(here.peers).toEqual({})
})
