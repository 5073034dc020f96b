/**
 * Every rule of the ledger, switched off: the checker that finds nothing wrong with a run finds something
 * wrong with the same run then. A checker that lets one of these pass would prove nothing.
 */
import { describe, expect, it } from 'vitest'
import {
  MUTATIONS,
  type Mutation,
  type SimulationResult,
  simulate,
  smallRun,
} from '../../src/simulate/index.js'

/**
 * Looked at in turn until one shows the mistake: some need a crash within a second of a link, and show in one
 * run of twelve.
 */
const SEEDS = 150

async function firstFound(
  mutation: Mutation,
  stopsEarly = true,
): Promise<{ seed: number; result: SimulationResult } | null> {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const result = await simulate({ ...smallRun(seed), mutation, stopsEarly })
    if (result.violations.length > 0) return { seed, result }
  }
  return null
}

/** At least one for each promise that the checker knows, and none that shows only after dozens of runs. */
const QUICK: ReadonlySet<string> = new Set<Mutation>([
  'no-fencing',
  'ledger-first',
  'links-late',
  'lost-is-refused',
  'epoch-stays',
  'no-pack-id',
  'finished-stays',
  'journal-cut',
  'cut-in-place',
  'no-handover-wait',
  'no-turns',
  'no-swap-wait',
  'end-unchecked',
  'split-forgets',
  'moved-unasked',
])

/** Runs without a mistake are the same for all. */
const unmutated = new Map<number, Promise<SimulationResult>>()

function withoutMistake(seed: number): Promise<SimulationResult> {
  const known = unmutated.get(seed) ?? simulate(smallRun(seed))
  unmutated.set(seed, known)
  return known
}

describe('a rule that is not kept is found', () => {
  for (const [name, mistake] of Object.entries(MUTATIONS)) {
    it(`${name}: ${mistake}`, { timeout: 1_800_000, tags: QUICK.has(name) ? [] : ['deep'] }, async () => {
      const found = await firstFound(name as Mutation)
      expect(found, `no run with ${name} broke a promise`).not.toBeNull()
      const promises = new Set(found!.result.violations.map(({ promise }) => promise))
      expect(promises, 'it broke the crawl instead of a promise').not.toEqual(new Set(['bug']))
      const { violations } = await withoutMistake(found!.seed)
      expect(violations, `seed ${found!.seed} without the mistake`).toEqual([])
    })
  }

  it('pages that are stored twice show in the overlap, which is 0 without the mistake', async () => {
    const found = await firstFound('early-acknowledgement', false)
    const twice = found!.result.violations.filter(({ what }) => / is stored \d+ times$/.test(what))
    expect(twice.length).toBeGreaterThan(0)
    expect(found!.result.metrics.overlap).toBeGreaterThanOrEqual(twice.length / found!.result.pages)
    expect((await withoutMistake(found!.seed)).metrics.overlap).toBe(0)
  })
})
