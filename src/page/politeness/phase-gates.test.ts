import { beforeEach, describe, expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { openMemoryLedger } from '../../ledger/memory/index.js'
import { Stop, type StopSignal } from '../../model/index.js'
import { LeaseMargin } from './lease-margin.js'
import { PhaseGates } from './phase-gates.js'
import { makePlan, type PhasePlan } from './phases/index.js'
import { SitePace } from './site-pace.js'

const GUARD = 200
const LEASE = 30_000
const SITE = 'a.test'

describe('the gates of two nodes', () => {
  let clock = new ManualClock()
  let plan: PhasePlan

  beforeEach(() => {
    clock = new ManualClock()
    plan = makePlan({ periodMs: 2_000, guardMs: GUARD }, 2, 0, clock.now()) as PhasePlan
  })

  function gatesOf(skewMs: number): PhaseGates {
    return new PhaseGates({
      plan,
      clock,
      wall: () => clock.now(),
      skewMs,
      ledger: openMemoryLedger(() => clock.now()),
      leaseMargin: new LeaseMargin(clock, LEASE, new Stop().signal),
      grouping: 'none',
      leaseMs: LEASE,
      onFailure: error => {
        throw error
      },
    })
  }

  /**
   * A heartbeat that took so long: the ledger looked at its clock when that was sent, or when the answer
   * came.
   */
  function beat(nodes: readonly { gates: PhaseGates; looksLate: boolean }[], tookMs: number): void {
    const sent = { monotonic: clock.monotonic(), wall: clock.now() }
    clock.advance(tookMs)
    for (const { gates, looksLate } of nodes) gates.measured(sent, looksLate ? clock.now() : sent.wall)
  }

  it.each([
    ['the first is ahead', 1],
    ['the first is behind', -1],
  ])(
    'are never open to one host at once, nor is a request of one under way when the other opens: %s by all of the guard and does not know, the other the other way, and both heartbeats mislead',
    (_, sign) => {
      const nodes = [1, -1].map(way => ({ gates: gatesOf(way * sign * GUARD), looksLate: way * sign > 0 }))
      /** Of the request that each began last. */
      const signals: (StopSignal | undefined)[] = []
      const opened = [0, 0]
      let swaps = 0
      let last = -1
      beat(nodes, 120)
      for (let ms = 0; ms < 12_000; ms++) {
        clock.advance(1)
        if (ms % 5_000 === 4_000) beat(nodes, 120)
        for (const [shard, { gates }] of nodes.entries()) {
          if (!gates.isOpen(gates.phaseOf(SITE), shard)) continue
          signals[shard] = gates.signal
          opened[shard]++
          if (last !== shard) swaps++
          last = shard
        }
        // What is under way goes on until it is cut off.
        expect(signals.filter(signal => signal?.aborted === false).length).toBeLessThanOrEqual(1)
      }
      expect(swaps).toBeGreaterThan(4)
      for (const ms of opened) expect(ms).toBeGreaterThan(2_000)
    },
  )

  it('say why a site waits, and for how long at most', () => {
    const gates = gatesOf(0)
    const pace = (shard: number) =>
      new SitePace({
        clock,
        groups: [],
        gate: gates.gateOf(SITE, shard, []),
        notBefore: 0,
        waitUntil: 0,
        knownMs: 0,
        save: () => Promise.resolve(),
      })
    expect(pace(0).reason('auto', clock.now())).toBe('the time of the ledger is not known for certain')
    beat([{ gates, looksLate: false }], 2)
    clock.advance(400)
    const shut = [0, 1].find(shard => gates.gateOf(SITE, shard, []).isShut)!
    expect(pace(shut).opensAt(clock.now()) - clock.now()).toBeGreaterThan(1_000)
    expect(pace(shut).reason('auto', clock.now())).toBe(
      "its node's turn, every 4 s for 2 s, see --phases period",
    )
    expect(pace(1 - shut).reason('auto', clock.now())).not.toContain('--phases')
  })
})
