/** The simulated crawls on the real SQLite ledger: its statements keep the promises under faults, too. */
import { expect, it } from 'vitest'
import { simulate, smallRun } from '../../src/simulate/index.js'

async function expectKept(first: number, last: number): Promise<void> {
  for (let seed = first; seed <= last; seed++) {
    const { violations } = await simulate({ ...smallRun(seed), ledger: 'sqlite' })
    expect(violations, `seed ${seed}`).toEqual([])
  }
}

it('8 small faulty crawls on the SQLite ledger have no violation', () => expectKept(1, 8))

it(
  '22 more small faulty crawls on the SQLite ledger have no violation',
  {
    timeout: 600_000,
    tags: 'deep',
  },
  () => expectKept(9, 30),
)

async function expectSameTwice(seed: number): Promise<void> {
  const hash = async () => (await simulate({ ...smallRun(seed), ledger: 'sqlite' })).history.hash
  expect(await hash()).toBe(await hash())
}

const SAME = 'gives the same history twice on the SQLite ledger (P8)'
it(`seed 3 ${SAME}`, () => expectSameTwice(3))
it(`seed 4 ${SAME}`, { tags: 'deep' }, () => expectSameTwice(4))
