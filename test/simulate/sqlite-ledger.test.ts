/** The simulated crawls on the real SQLite ledger: its statements keep the promises under faults, too. */
import { expect, it } from 'vitest'
import { simulate, smallRun } from '../../src/simulate/index.js'

it('30 small faulty crawls on the SQLite ledger have no violation', { timeout: 600_000 }, async () => {
  for (let seed = 1; seed <= 30; seed++) {
    const { violations } = await simulate({ ...smallRun(seed), ledger: 'sqlite' })
    expect(violations, `seed ${seed}`).toEqual([])
  }
})

it('the same seed gives the same history on the SQLite ledger (P8)', { timeout: 600_000 }, async () => {
  const hash = async (seed: number) => (await simulate({ ...smallRun(seed), ledger: 'sqlite' })).history.hash
  for (const seed of [3, 4]) expect(await hash(seed)).toBe(await hash(seed))
})
