/**
 * Every rule of the ledger, switched off: the checker that finds nothing wrong with a run finds something wrong with the
 * same run then. A checker that lets one of these pass would prove nothing.
 */
import { describe, expect, it } from 'vitest'
import { MUTATIONS, type Mutation, simulate, smallRun } from '../../src/simulate/index.js'

/** Looked at in turn until one shows the mistake: some need a crash within a second of a link. */
const SEEDS = 60

async function firstFound(mutation: Mutation): Promise<{ seed: number; promises: Set<string> } | null> {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { violations } = await simulate({ ...smallRun(seed), mutation })
    if (violations.length > 0) return { seed, promises: new Set(violations.map(({ promise }) => promise)) }
  }
  return null
}

describe('a rule that is not kept is found', () => {
  for (const [mutation, mistake] of Object.entries(MUTATIONS)) {
    it(`${mutation}: ${mistake}`, { timeout: 1_800_000 }, async () => {
      const found = await firstFound(mutation as Mutation)
      expect(found, `no run with ${mutation} broke a promise`).not.toBeNull()
      expect(found!.promises, 'it broke the crawl instead of a promise').not.toEqual(new Set(['bug']))
      const { violations } = await simulate(smallRun(found!.seed))
      expect(violations, `seed ${found!.seed} without the mistake`).toEqual([])
    })
  }
})
