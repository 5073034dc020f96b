import { expect, it } from 'vitest'
import { ManualClock } from '../../test/kit/manual-clock.js'
import { openMemoryLedger } from '../ledger/memory/index.js'
import { Spent, spentFromNow } from './spent.js'

it('counts what was spent since the crawl began, not what the process did before', async () => {
  const clock = new ManualClock()
  const before = process.cpuUsage()
  const spent = await Spent.since(spentFromNow(clock), openMemoryLedger(clock.now), clock)
  clock.advance(4_000)
  const { seconds, cpuSeconds } = await spent.save()
  const { user, system } = process.cpuUsage(before)
  expect(seconds).toBe(4)
  expect(cpuSeconds).toBeLessThanOrEqual((user + system) / 1e6)
})

it('goes on where the process that coordinated before has stopped', async () => {
  const clock = new ManualClock()
  const ledger = openMemoryLedger(clock.now)
  const first = await Spent.since(spentFromNow(clock), ledger, clock)
  clock.advance(100_000)
  await first.save()
  const second = await Spent.since(spentFromNow(clock), ledger, clock)
  clock.advance(20_000)
  expect((await second.save()).seconds).toBe(120)
})
