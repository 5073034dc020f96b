/**
 * A thousand small crawls with agents killed, frozen, cut off and so on, for every assignment, and no promise
 * broken.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { ASSIGNMENTS } from '../../src/config/index.js'
import { explain, type SimulationResult, shrink, simulate, smallRun } from '../../src/simulate/index.js'

const RUNS = 1_000
/** Enough to meet everything that the runs are made for. */
const SAMPLE = 30
const scratch = mkdtempSync(join(tmpdir(), 'orb-thousand-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** Other seeds with every commit, the same for everybody who looks at that commit. */
function firstSeed(): number {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { stdio: ['ignore', 'pipe', 'ignore'] })
    return Number.parseInt(commit.toString().slice(0, 7), 16)
  } catch {
    return 1_000_003
  }
}

async function expectKept(first: number, runs: number): Promise<void> {
  const totals = { refusedCommits: 0, refusedFinishes: 0, refetches: 0, splits: 0, askedBack: 0, forced: 0 }
  for (let seed = first; seed < first + runs; seed++) {
    const options = { ...smallRun(seed), scratch }
    const result = await simulate(options)
    if (result.violations.length > 0)
      expect.fail(explain(await shrink(options, result), `orbweaver simulate --small --seed ${seed}`))
    expect(result, `seed ${seed} is a small faulty run`).toSatisfy(isFaulty)
    expect(options.agents, `seed ${seed}`).toBeGreaterThanOrEqual(5)
    expect(options.sites, `seed ${seed}`).toBeGreaterThanOrEqual(40)
    totals.refusedCommits += result.refusedCommits
    totals.refusedFinishes += result.refusedFinishes
    totals.refetches += result.metrics.overlapFetches
    totals.splits += result.ledgerCalls.get('split') ?? 0
    totals.askedBack += result.askedBack
    totals.forced += result.forced
    // Lets the test runner hear that we live.
    if (seed % 50 === 0) await new Promise(resolve => setImmediate(resolve))
  }
  // The runs met what they are made for.
  for (const count of Object.values(totals)) expect(count).toBeGreaterThan(0)
}

it(`${SAMPLE} faulty runs break no promise`, () => expectKept(1, SAMPLE))

it(
  `${RUNS} faulty runs break no promise, others with every commit`,
  {
    timeout: 3_600_000,
    tags: 'deep',
  },
  () => expectKept(firstSeed(), RUNS),
)

it('every assignment has its share of the runs', () => {
  const assigned = Array.from({ length: 40 }, (_, seed) => smallRun(seed).assign)
  expect(new Set(assigned)).toEqual(new Set(ASSIGNMENTS))
})

/** Not only drawn: these faults struck, and who stood still for longer than a lease went on. */
function isFaulty({ faults, struck, pages, acknowledged }: SimulationResult): boolean {
  const felt = [...new Set(faults.map(({ kind }) => kind))].map(kind => struck.get(kind) ?? 0)
  return (
    pages >= 500 &&
    acknowledged >= 500 &&
    felt.reduce((sum, times) => sum + times, 0) >= 5 &&
    struck.has('death') &&
    struck.has('revival')
  )
}
