import { expect, it } from 'vitest'
import { fetcherWith, ok, serverSaying, signal } from '../../../test/kit/fetching.js'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { LeaseMargin } from './lease-margin.js'
import { LeasedFetcher } from './leased-fetcher.js'

const LEASE_MS = 30_000

it('asks nothing of a server once the leases have run out, though no timer has said so yet', async () => {
  const server = await serverSaying(ok('hello'))
  const clock = new ManualClock()
  const leaseMargin = new LeaseMargin(clock, LEASE_MS, signal)
  const fetcher = new LeasedFetcher(fetcherWith(), leaseMargin)
  const url = `${server.origin}/`
  const asked = fetcher.fetch({ url }, leaseMargin.signal)
  clock.advance(LEASE_MS)
  expect(await asked).toMatchObject({ ok: false, code: 'RESET' })
  expect(server.requests).toEqual([])
  leaseMargin.renew(leaseMargin.sending())
  expect((await fetcher.fetch({ url }, leaseMargin.signal)).ok).toBe(true)
})
