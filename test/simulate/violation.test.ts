/**
 * What a person sees when a promise is broken: the promise, how to repeat it, and a history that is short.
 *
 * @module-tag deep
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { explain, type SimulationOptions, shrink, simulate, smallRun } from '../../src/simulate/index.js'

const orbweaver = fileURLToPath(new URL('../../bin/orbweaver.js', import.meta.url))

/** From here on no site is split for a while: in those that are, fencing guards more than who may commit. */
const UNSPLIT = 8

it('a violation is made small, and its history leads up to it and no further', async () => {
  let options: SimulationOptions = { ...smallRun(UNSPLIT), mutation: 'no-fencing' }
  let found = await simulate(options)
  for (let seed = UNSPLIT + 1; found.violations.length === 0 && seed <= 60; seed++) {
    options = { ...smallRun(seed), mutation: 'no-fencing' }
    found = await simulate(options)
  }
  const small = await shrink(options, found)
  const { agents, sites, pages } = small.options
  expect([agents, sites, pages].reduce((size, part) => size * part, 1)).toBeLessThan(
    (options.agents * options.sites * options.pages) / 4,
  )
  expect(small.result.faults.length).toBeLessThan(found.faults.length)
  const lines = explain(small, 'orbweaver simulate --small --seed 8').split('\n')
  expect(lines[0]).toBe('P6 is broken: an agent that has lost a site cannot commit anything for it')
  expect(lines.at(-1)).toMatch(
    /^ +[\d.]+ s {2}incarnation \d+ sends pack [0-9a-f]{8} of .*; the ledger says committed$/,
  )
  expect(lines.length).toBeLessThan(100)
})

it('the command says the promise, the seed and the history, and ends with 1', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [orbweaver, 'simulate', '--small', '--runs', '60', '--seed', String(UNSPLIT), '--break', 'no-fencing'],
    { encoding: 'utf8' },
  )
  expect(status).toBe(1)
  expect(stdout).toBe('')
  // How far it is may stand before it, on a slow machine.
  expect(stderr).toMatch(/^P6 is broken: an agent that has lost a site/m)
  expect(stderr).toMatch(/\nto repeat the run: orbweaver simulate --small --seed \d+ --break no-fencing\n/)
  expect(stderr).toMatch(/\n +[\d.]+ s {2}the ledger leases .* to incarnation \d+, epoch \d+\n/)
})

it('--assign says who gets which site in small runs too', () => {
  const seed = 3
  const history = (...flags: string[]): unknown => {
    const args = [orbweaver, 'simulate', '--small', '--seed', String(seed), '--json', ...flags]
    const summary = JSON.parse(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout)
    expect(summary).toMatchObject({ runs: 1, leastAgents: 6, leastSites: 40, violations: 0 })
    expect(summary.leastPages).toBeGreaterThanOrEqual(500)
    expect(summary.leastFaults).toBeGreaterThanOrEqual(5)
    expect(summary.leastKills).toBeGreaterThan(0)
    expect(summary.leastZombies).toBeGreaterThan(0)
    expect(summary.runsPerCpuMinute).toBeGreaterThan(0)
    return summary.history
  }
  const own = smallRun(seed).assign
  const usual = history()
  expect(history('--assign', own)).toBe(usual)
  expect(history('--assign', own === 'hash' ? 'dynamic' : 'hash')).not.toBe(usual)
})

it('without a delay nothing is broken', async () => {
  for (const seed of [1, 2, 3]) {
    const { violations, acknowledged, pages } = await simulate({
      ...smallRun(seed),
      delayMs: 0,
      faults: 'light',
    })
    expect(violations, `seed ${seed}`).toEqual([])
    expect(acknowledged).toBe(pages)
  }
})
