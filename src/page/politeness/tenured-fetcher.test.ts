import { expect, it } from 'vitest'
import { fetcherWith, ok, serverSaying, signal } from '../../../test/kit/fetching.js'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { Tenure } from './tenure.js'
import { TenuredFetcher } from './tenured-fetcher.js'

const LEASE_MS = 30_000

it('asks nothing of a server once the leases have run out, though no timer has said so yet', async () => {
  const server = await serverSaying(ok('hello'))
  const clock = new ManualClock()
  const tenure = new Tenure(clock, LEASE_MS, signal)
  const fetcher = new TenuredFetcher(fetcherWith(), tenure)
  const url = `${server.origin}/`
  const asked = fetcher.fetch({ url }, tenure.signal)
  clock.advance(LEASE_MS)
  expect(await asked).toMatchObject({ ok: false, code: 'RESET' })
  expect(server.requests).toEqual([])
  tenure.renew(tenure.sending())
  expect((await fetcher.fetch({ url }, tenure.signal)).ok).toBe(true)
})
