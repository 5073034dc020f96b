/**
 * K2-K5 as properties: whatever the numbers, at no instant may two nodes ask one host, also with clocks that
 * are wrong.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { charSum } from '../../../model/bytes/index.js'
import { normaliseUrl } from '../../../model/url/index.js'
import {
  makePlan,
  type PhasePlan,
  periodAt,
  phaseOf,
  ShardMap,
  shardOf,
  usableMs,
  windowFor,
  windowOf,
} from '../../../page/politeness/phases/index.js'
import { phaseOfShard } from '../../../page/politeness/phases/phase-windows.js'

const START = 1_800_000_000_000

const plans = fc
  .record({
    nodes: fc.integer({ min: 1, max: 12 }),
    more: fc.integer({ min: 0, max: 5 }),
    periodMs: fc.integer({ min: 100, max: 100_000 }),
    guard: fc.double({ min: 0.001, max: 0.199, noNaN: true }),
  })
  .map(({ nodes, more, periodMs, guard }) => {
    const plan = makePlan({ nodes, phases: nodes + more, periodMs, guardMs: guard * periodMs }, 1, 0, START)
    if (typeof plan === 'string') throw new Error(plan)
    return plan
  })
/** In periods from the start of the crawl. */
const instants = fc.double({ min: 0, max: 1_000, noNaN: true })
const timeOf = (plan: PhasePlan, instant: number) => START + instant * plan.periodMs

/**
 * What a node whose clock shows `at`, in doubt, may do to a host of that phase: begin a request, or have one
 * under way.
 */
function allowed(
  plan: PhasePlan,
  shard: number,
  phase: number,
  at: number,
  doubtMs: number,
): { begins: boolean; holds: boolean } {
  const { opensAt, lastCallAt } = windowFor(plan, shard, phase, at, doubtMs)
  const current = windowOf(plan, periodAt(plan, at), doubtMs)
  const isItsTurn = phaseOfShard(plan, shard, current.number) === phase
  return {
    begins: opensAt <= at && at < lastCallAt,
    holds: isItsTurn && current.opensAt <= at && at < current.cutAt,
  }
}

describe('phases', () => {
  it('give every URL one node, by the sum of its characters, and every host one phase (K2, K3)', () => {
    const plan = { nodes: 4, phases: 6 }
    const cells = new ShardMap(plan)
    expect(charSum('ab')).toBe(97 + 98)
    expect(cells.cellOf('http://ab.test/x')).toBe(`ab.test#${charSum('http://ab.test/x') % 4}`)
    expect(phaseOf('ab.test:81', 'none', plan)).toBe(charSum('ab.test:81') % 6)
    expect(phaseOf('www.ab.test', 'domain', plan)).toBe(phaseOf('ab.test', 'domain', plan))
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ['http'] }), written => {
        const url = normaliseUrl(written)!
        const cell = cells.cellOf(url)
        expect(cells.partOf(cell)(url)).toBe(true)
        for (let shard = 0; shard < 4; shard++)
          expect(cells.partOf(`x#${shard}`)(url)).toBe(shard === shardOf(cell))
        // What is asked for a page, marks and all, is asked by one node.
        expect(cells.cellOf(`${url}#mark`)).toBe(cell)
      }),
    )
  })

  it('start with node n in phase n, and swap all at once, in turn (K4)', () => {
    fc.assert(
      fc.property(plans, fc.nat(11), fc.nat(1_000), (plan, n, period) => {
        const shard = n % plan.nodes
        expect(phaseOfShard(plan, shard, 0)).toBe(shard)
        const next = (phaseOfShard(plan, shard, period) + 1) % plan.phases
        expect(phaseOfShard(plan, shard, period + 1)).toBe(next)
      }),
    )
  })

  /**
   * Nodes at the hosts of each phase at that instant: their clocks are wrong by these parts of the guard, and
   * of their doubt.
   */
  function there(
    plan: PhasePlan,
    instant: number,
    wrongs: readonly { readonly skew: number; readonly doubt: number; readonly error: number }[],
  ): number[] {
    const nodes = Array.from({ length: plan.phases }, () => 0)
    for (let phase = 0; phase < plan.phases; phase++)
      for (let shard = 0; shard < plan.nodes; shard++) {
        const { skew, doubt, error } = wrongs[shard]!
        // A clock that is in doubt by as much as the guard is silent.
        const doubtMs = doubt * plan.guardMs
        const shown = timeOf(plan, instant) + skew * plan.guardMs + error * doubtMs
        const { begins, holds } = allowed(plan, shard, phase, shown, doubtMs)
        // Who may begin may also have something under way.
        expect(!begins || holds).toBe(true)
        if (holds) nodes[phase]!++
      }
    return nodes
  }

  /** All of the guard but what rounding takes, at times of 10^12 ms. */
  const GUARD = 1 - 1e-4

  it('let no two nodes ask one host, whatever the time, with clocks that are wrong by as much as the guard beyond what they know (K5)', () => {
    const part = (least: number, most: number) => fc.double({ min: least, max: most, noNaN: true })
    const wrong = fc.record({ skew: part(-GUARD, GUARD), doubt: part(0, 1), error: part(-1, 1) })
    const wrongs = fc.array(wrong, { minLength: 12, maxLength: 12 })
    fc.assert(
      fc.property(plans, instants, wrongs, (plan, instant, all) => {
        for (const nodes of there(plan, instant, all)) expect(nodes).toBeLessThanOrEqual(1)
      }),
      { numRuns: 500 },
    )
  })

  it('let no two nodes ask one host at a swap with one clock ahead and the next behind, each by all of the guard and all of its doubt', () => {
    const ends = (sign: number) => ({ skew: sign * GUARD, doubt: 0.9, error: sign })
    const wrongs = Array.from({ length: 12 }, (_, node) => ends(node % 2 === 0 ? 1 : -1))
    const around = fc.double({ min: -0.5, max: 0.5, noNaN: true })
    fc.assert(
      fc.property(plans, fc.integer({ min: 1, max: 1_000 }), around, (plan, swap, off) => {
        for (const nodes of there(plan, swap + off, wrongs)) expect(nodes).toBeLessThanOrEqual(1)
      }),
      { numRuns: 500 },
    )
  })

  it('bring every host to every node, once in as many periods as there are phases', () => {
    fc.assert(
      fc.property(plans, instants, fc.nat(11), fc.nat(16), (plan, instant, n, p) => {
        const at = timeOf(plan, instant)
        const window = windowFor(plan, n % plan.nodes, p % plan.phases, at, 0)
        expect(window.lastCallAt).toBeGreaterThan(at)
        expect(window.opensAt - at).toBeLessThanOrEqual(plan.phases * plan.periodMs)
        expect(window.lastCallAt - window.opensAt).toBeCloseTo(usableMs(plan), 1)
        const again = windowFor(plan, n % plan.nodes, p % plan.phases, window.lastCallAt, 0)
        expect(again.number).toBe(window.number + plan.phases)
      }),
    )
  })

  it('refuse a plan in which two nodes would share a phase, or a guard that leaves no time', () => {
    expect(makePlan({ nodes: 4, phases: 3 }, 1, 0, START)).toContain('too few')
    expect(makePlan({ periodMs: 1_000, guardMs: 400 }, 1, 0, START)).toContain('too little')
    expect(makePlan({}, 4, 0, START)).toMatchObject({ nodes: 4, phases: 4, periodMs: 10_000 })
    // With many phases a round of them would take minutes.
    expect(makePlan({}, 6, 0, START)).toMatchObject({ phases: 6, periodMs: 40_000 / 6 })
    expect(makePlan({}, 100, 0, START)).toMatchObject({ phases: 100, periodMs: 5_000 })
    // A host that is asked every minute needs windows of several.
    expect(makePlan({}, 4, 60_000, START)).toMatchObject({ periodMs: 480_000 })
  })
})
