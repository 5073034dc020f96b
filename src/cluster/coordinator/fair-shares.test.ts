import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { FAIR_SHARES_DRY_MS, FAIR_SHARES_HOLD_MS } from '../limits.js'
import { FairShares } from './fair-shares.js'

interface Facts {
  readonly lanes?: number
  readonly free?: number
  readonly hasReported?: boolean
}

const agent = (workLeft: number, { lanes = 1_000, free = 0, hasReported = true }: Facts = {}) => ({
  lanes,
  freeLanes: free,
  busySites: Math.ceil(workLeft),
  workLeft,
  hasReported,
})

function quotasOf(waiting: number, ...agents: readonly ReturnType<typeof agent>[]): number[] {
  const shares = new FairShares(new ManualClock())
  const loads = agents.map((load, i) => ({ incarnation: i + 1, ...load }))
  const quotas = shares.quotas(loads, waiting, false)
  return loads.map(({ incarnation }) => quotas.get(incarnation) ?? Number.POSITIVE_INFINITY)
}

describe('the last waiting cells', () => {
  it('fill up all agents to the same load, those without a free lane as well', () => {
    const idle = agent(0, { free: 1_000 })
    expect(quotasOf(2_000, idle, agent(1_000), agent(1_000))).toEqual([1_334, 334, 334])
    expect(quotasOf(2_000, idle, agent(100), agent(100), agent(100))).toEqual([575, 475, 475, 475])
    expect(quotasOf(300, agent(990, { free: 10 }), agent(900), agent(700))).toEqual([0, 50, 250])
  })

  it('go by lanes', () => {
    const small = agent(0, { lanes: 100, free: 100 })
    expect(quotasOf(550, agent(0, { free: 1_000 }), small)).toEqual([500, 50])
  })

  it('go to the agent with a free lane when all others have a site on every lane', () => {
    const lanes = 10
    expect(quotasOf(1, agent(9, { lanes, free: 1 }), agent(10, { lanes }), agent(10, { lanes }))[0]).toBe(1)
  })

  it('are held back for an agent that is starting, and not for one that takes no more', () => {
    const first = agent(0, { free: 1_000 })
    expect(quotasOf(400, first, agent(0, { hasReported: false }))[0]).toBe(200)
    expect(quotasOf(400, first, agent(0))[0]).toBe(400)
  })
})

describe('while more cells wait than were read', () => {
  const loads = [
    { incarnation: 1, ...agent(1_000, { free: 100 }) },
    { incarnation: 2, ...agent(0, { free: 1 }) },
    { incarnation: 3, ...agent(500) },
  ]

  it('nothing is held back if there are enough for all', () => {
    const shares = new FairShares(new ManualClock())
    expect(shares.quotas(loads, 100, true).size).toBe(0)
    shares.counted(3_000, 3_000)
    expect(shares.quotas(loads, 100, true).size).toBe(0)
  })

  it('the count decides; cells granted since are load of their agents', () => {
    const shares = new FairShares(new ManualClock())
    shares.counted(1_800, 3_000)
    expect([...shares.quotas(loads, 100, true).values()]).toEqual([100, 1_100, 600])
    shares.granted(new Map([[2, 400]]))
    expect([...shares.quotas(loads, 100, true).values()]).toEqual([100, 700, 600])
  })
})

it('nothing is held back any longer when no agent has taken any for some time', () => {
  const clock = new ManualClock()
  const shares = new FairShares(clock)
  const loads = [
    { incarnation: 1, ...agent(900, { free: 100 }) },
    { incarnation: 2, ...agent(500) },
  ]
  const isHeldBack = () => shares.quotas(loads, 50, false).get(1) === 0
  expect(isHeldBack()).toBe(true)
  shares.granted(new Map())
  clock.advance(FAIR_SHARES_HOLD_MS - 1)
  shares.granted(new Map())
  expect(isHeldBack()).toBe(true)
  clock.advance(1)
  expect(isHeldBack()).toBe(false)
  shares.granted(new Map([[2, 50]]))
  expect(isHeldBack()).toBe(true)
})

describe('while the last cells are granted', () => {
  const loads = (...left: readonly number[]) =>
    left.map((workLeft, i) => ({ incarnation: i + 1, ...agent(workLeft, { free: 1_000 - workLeft }) }))
  const cells = (...counts: readonly number[]) => new Map(counts.map((count, i) => [i + 1, count]))

  it('the progress of an agent earns it no more of them', () => {
    const shares = new FairShares(new ManualClock())
    expect([...shares.quotas(loads(0, 0), 2_500, false).values()]).toEqual([1_250, 1_250])
    shares.granted(cells(1_000, 1_000))
    expect([...shares.quotas(loads(600, 1_000), 500, false).values()]).toEqual([250, 250])
    shares.granted(cells(250, 0))
    expect([...shares.quotas(loads(400, 900), 250, false).values()]).toEqual([0, 250])
  })

  it('an agent that has been dry for some time gets some of those that were held back', () => {
    const clock = new ManualClock()
    const shares = new FairShares(clock)
    const quotas = () => [...shares.quotas(loads(0, 900), 250, false).values()]
    shares.quotas(loads(0, 0), 2_500, false)
    shares.granted(cells(1_250, 1_000))
    shares.quotas(loads(100, 900), 250, false)
    expect(quotas()).toEqual([0, 250])
    clock.advance(FAIR_SHARES_DRY_MS - 1)
    expect(quotas()).toEqual([0, 250])
    clock.advance(1)
    expect(quotas()).toEqual([250, 0])
  })

  it('nothing is remembered once there are enough for all, or none', () => {
    for (const waiting of [0, 5_000]) {
      const shares = new FairShares(new ManualClock())
      shares.quotas(loads(0, 0), 2_500, false)
      shares.granted(cells(1_000, 1_000))
      shares.counted(waiting, 4_000)
      expect([...shares.quotas(loads(600, 1_000), 500, false).values()]).toEqual([450, 50])
    }
  })
})
