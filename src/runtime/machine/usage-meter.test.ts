import { expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { openMemoryLedger } from '../../ledger/memory/index.js'
import { UsageMeter, usageStartNow } from './usage-meter.js'

it('counts what was spent since the crawl began, not what the process did before', async () => {
  const clock = new ManualClock()
  const before = process.cpuUsage()
  const usage = await UsageMeter.since(usageStartNow(clock), openMemoryLedger(clock.now), clock)
  clock.advance(4_000)
  const { seconds, cpuSeconds } = await usage.save()
  const { user, system } = process.cpuUsage(before)
  expect(seconds).toBe(4)
  expect(cpuSeconds).toBeLessThanOrEqual((user + system) / 1e6)
})

it('goes on where the process that coordinated before has stopped', async () => {
  const clock = new ManualClock()
  const ledger = openMemoryLedger(clock.now)
  const first = await UsageMeter.since(usageStartNow(clock), ledger, clock)
  clock.advance(100_000)
  await first.save()
  const second = await UsageMeter.since(usageStartNow(clock), ledger, clock)
  clock.advance(20_000)
  expect((await second.save()).seconds).toBe(120)
})
