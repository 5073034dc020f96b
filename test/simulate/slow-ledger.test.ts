/**
 * Agents freeze while the answer of a slow ledger is on its way, and hear of leases long after those have
 * ended. What a later heartbeat does not know is not crawled. (Found as two agents on a site, one run in a
 * hundred.)
 *
 * @module-tag deep
 */
import { expect, it } from 'vitest'
import { simulate, smallRun } from '../../src/simulate/index.js'

const fault = (kind: 'slow-ledger' | 'zombie', after: number, agent: number, forMs: number) => ({
  kind,
  after,
  agent,
  forMs,
  byMs: 0,
  isSeen: false,
})

it('a lease that is heard of too late is not used', async () => {
  for (let seed = 6; seed <= 20; seed++) {
    const frozen = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6].map((after, i) =>
      fault('zombie', after, seed + i, 15_000 + 500 * i),
    )
    const faults = [fault('slow-ledger', 0.02, 0, 120_000), ...frozen]
    const { violations } = await simulate({ ...smallRun(seed), faults })
    expect(violations, `seed ${seed}`).toEqual([])
  }
})
