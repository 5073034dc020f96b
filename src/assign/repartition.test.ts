import { describe, expect, it } from 'vitest'
import type { LearnedWeb } from './learned-web.js'
import { planRepartition, type RepartitionRequest, type SiteLeft } from './repartition.js'

const SITES = 12
const name = (i: number) => `s${i}.test`

/** Sites in pairs that link to each other. */
const learned: LearnedWeb = {
  sites: Array.from({ length: SITES }, (_, i) => ({
    site: name(i),
    pages: 100,
    bytes: 1_000,
    fetchMs: 1_000,
    checked: 0,
    changed: 0,
    addresses: [],
    connectMs: {},
  })),
  netOffsets: Uint32Array.from({ length: SITES + 1 }, (_, i) => 2 * i),
  pins: Uint32Array.from({ length: 2 * SITES }, (_, at) => (at % 2 === 0 ? at >> 1 : (at >> 1) ^ 1)),
  counts: new Float64Array(SITES).fill(50),
}

const request = (left: readonly SiteLeft[], agents = 2): RepartitionRequest => ({
  agents: Array.from({ length: agents }, (_, i) => ({ name: `agent-${i + 1}`, share: 1, lanes: 1 })),
  left,
  delayMs: 100,
  grouping: 'domain',
  seed: 1,
})

const left = (part: (i: number) => number, queued: (i: number) => number): SiteLeft[] =>
  Array.from({ length: SITES }, (_, i) => ({ site: name(i), queued: queued(i), known: 200, part: part(i) }))

describe('a repartition of what is left', () => {
  it('is worth it where one agent has all of it: half the time, and pairs stay together', () => {
    const plan = planRepartition(
      learned,
      request(
        left(
          () => 0,
          () => 100,
        ),
      ),
    )!
    expect(plan.before.downloadMs).toBe(SITES * 100 * 100)
    expect(plan.after.downloadMs).toBe((SITES / 2) * 100 * 100)
    expect(plan.gainMs).toBeGreaterThan(plan.costMs)
    expect(plan.movedSites).toBe(SITES / 2)
    for (let i = 0; i < SITES; i += 2) expect(plan.table.partOf(name(i))).toBe(plan.table.partOf(name(i + 1)))
  })

  it('moves nothing where all is well, and gains nothing', () => {
    const plan = planRepartition(
      learned,
      request(
        left(
          i => (i < SITES / 2 ? 0 : 1),
          () => 100,
        ),
      ),
    )!
    expect(plan).toMatchObject({ movedSites: 0, gainMs: 0, costMs: 0 })
  })

  it('is not worth it for a few pages', () => {
    const plan = planRepartition(learned, {
      ...request(
        left(
          () => 0,
          i => (i < 2 ? 3 : 0),
        ),
      ),
      delayMs: 10,
    })!
    expect(plan.gainMs).toBeLessThanOrEqual(plan.costMs)
  })

  it('gives an agent that has joined its part, and those of one that has left to the others', () => {
    const joined = planRepartition(
      learned,
      request(
        left(
          i => (i < SITES / 2 ? 0 : 1),
          () => 100,
        ),
        3,
      ),
    )!
    const parts = (plan: typeof joined) => Array.from({ length: SITES }, (_, i) => plan.table.partOf(name(i)))
    expect(new Set(parts(joined))).toEqual(new Set([0, 1, 2]))
    expect(joined.movedSites).toBeLessThanOrEqual(SITES / 2)
    const gone = planRepartition(
      learned,
      request(
        left(
          i => (i % 3 === 0 ? -1 : (i % 3) - 1),
          () => 100,
        ),
      ),
    )!
    expect(Math.max(...parts(gone))).toBe(1)
  })

  it('places sites that nothing was learned of, and says nothing where there is nobody to move to', () => {
    const fresh = { site: 'new.test', queued: 400, known: 400, part: 0 }
    const all = [
      ...left(
        () => 0,
        () => 100,
      ),
      fresh,
    ]
    expect(planRepartition(learned, request(all))!.table.partOf('new.test')).toBeGreaterThanOrEqual(0)
    expect(planRepartition(learned, request(all, 1))).toBeNull()
  })
})
