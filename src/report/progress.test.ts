import { describe, expect, it } from 'vitest'
import { type AgentProgress, type LedgerCount, progressOf } from './progress.js'

const NOTHING: LedgerCount = {
  ...{ pages: 0, bytes: 0, errors: 0, queued: 0, backlog: 0, sites: 0, activeElsewhere: 0 },
}
const agent = (told: Partial<AgentProgress>): AgentProgress => ({
  ...{ pages: 0, bytes: 0, errors: 0, queued: 0, sites: 0, activeSites: 0, inFlight: 0, waiting: '' },
  ...told,
})
const progress = (
  agents: readonly AgentProgress[],
  start: Partial<LedgerCount>,
  latest: Partial<LedgerCount> = start,
) =>
  progressOf(agents, {
    ...{ start: { ...NOTHING, ...start }, latest: { ...NOTHING, ...latest } },
    ...{ maxPages: null, trouble: '' },
  })

describe('the progress of all agents', () => {
  it('is what earlier runs did and what agents here have fetched, acknowledged or not', () => {
    const here = [agent({ pages: 30, bytes: 300, errors: 3 }), agent({ pages: 12, bytes: 100, errors: 1 })]
    const before = { pages: 1_000, bytes: 9_000, errors: 50 }
    expect(progress(here, before)).toMatchObject({ pages: 1_042, bytes: 9_400, errors: 54 })
  })

  it('is of all processes: others have acknowledged what no agent here knows of', () => {
    const latest = { pages: 700, bytes: 70_000, errors: 9, sites: 20, activeElsewhere: 8 }
    const here = [agent({ pages: 200, bytes: 20_000, errors: 2, sites: 5, activeSites: 4 })]
    expect(progress(here, {}, latest)).toMatchObject({
      ...{ pages: 700, bytes: 70_000, errors: 9, sites: 20, activeSites: 12 },
    })
  })

  it('knows what is queued when a crawl is resumed, before any site is in hand, and when it stops, after all were', () => {
    expect(progress([], { queued: 522, backlog: 2 }).queued).toBe(522)
    expect(progress([agent({})], { queued: 900 }, { queued: 522, backlog: 2 }).queued).toBe(522)
  })

  it('knows of links that were found and are not acknowledged yet', () => {
    const inHand = [agent({ queued: 40, sites: 1 }), agent({ queued: 2, sites: 1 })]
    expect(progress(inHand, { queued: 1, backlog: 1, sites: 2 }).queued).toBe(43)
  })
})
