/**
 * S2: between stages agents route on their own, and whatever befalls them and their messages, nothing is lost
 * by it.
 */
import { expect, it } from 'vitest'
import { type SimulationOptions, simulate, smallRun } from '../../src/simulate/index.js'

const ROUTED = ['hypergraph', 'graph', 'hybrid'] as const

/** No parts of sites: those are the coordinator's to give. */
const runOf = (seed: number, more: Partial<SimulationOptions>): SimulationOptions => {
  const { splitSites: _, ...run } = smallRun(seed)
  return { ...run, ...more }
}

it('undisturbed, agents take nearly every site themselves', { timeout: 600_000 }, async () => {
  for (const assign of ['hypergraph', 'graph'] as const) {
    const { cells, violations } = await simulate(runOf(3, { assign, faults: 'none', repartition: 0 }))
    expect(violations).toEqual([])
    expect(cells.taken, assign).toBeGreaterThan(10 * cells.given)
  }
})

it('with agents killed and messages lost, agents and coordinator give and take, and every URL has its outcome', {
  timeout: 600_000,
}, async () => {
  for (const [i, assign] of ROUTED.entries()) {
    const result = await simulate(runOf(50 + i, { assign, faults: 'heavy', repartition: 5 }))
    expect(result.violations, assign).toEqual([])
    expect(result.acknowledged).toBe(result.pages)
    expect(result.cells.taken, assign).toBeGreaterThan(0)
    expect(result.cells.given, assign).toBeGreaterThan(0)
  }
})
