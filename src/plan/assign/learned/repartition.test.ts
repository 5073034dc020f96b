import { describe, expect, it } from 'vitest'
import type { LearnedWeb } from './learned-web.js'
import type { SiteLeft } from './predict-times.js'
import { planRepartition, type RepartitionRequest } from './repartition.js'

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
  graph: null,
})

/** All of them leased by the agents that they are meant for. */
const left = (part: (i: number) => number, queued: (i: number) => number): SiteLeft[] =>
  Array.from({ length: SITES }, (_, i) => ({
    site: name(i),
    queued: queued(i),
    known: 200,
    part: part(i),
    heldBy: part(i),
    isTakenOver: false,
  }))

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
    expect(plan.gainMs).toBeGreaterThan(plan.relocationMs)
    expect(plan.movedSites).toBe(SITES / 2)
    for (let i = 0; i < SITES; i += 2)
      expect(plan.plan.table.partOf(name(i))).toBe(plan.plan.table.partOf(name(i + 1)))
  })

  it('gains no time by sharing the pieces of a split site, which have one turn', () => {
    const pieces = Array.from({ length: 4 }, (_, i) => ({
      site: `giant.test#/${i}#/${i + 1}`,
      queued: 100,
      known: 200,
      part: 0,
      heldBy: -1,
      isTakenOver: false,
    }))
    const others = left(
      i => i % 2,
      () => 0,
    )
    const plan = planRepartition(learned, request([...others, ...pieces]))!
    expect(plan.plan.table.partOf(pieces[0].site)).toBeGreaterThanOrEqual(0)
    expect(plan.before.downloadMs).toBe(4 * 100 * 100)
    expect(plan.after.downloadMs).toBe(4 * 100 * 100)
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
    expect(plan).toMatchObject({ movedSites: 0, gainMs: 0, relocationMs: 0 })
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
    expect(plan.gainMs).toBeLessThanOrEqual(plan.relocationMs)
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
    const parts = (plan: typeof joined) =>
      Array.from({ length: SITES }, (_, i) => plan.plan.table.partOf(name(i)))
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
    const fresh = { site: 'new.test', queued: 400, known: 400, part: 0, heldBy: -1, isTakenOver: false }
    const all = [
      ...left(
        () => 0,
        () => 100,
      ),
      fresh,
    ]
    expect(planRepartition(learned, request(all))!.plan.table.partOf('new.test')).toBeGreaterThanOrEqual(0)
    expect(planRepartition(learned, request(all, 1))).toBeNull()
  })

  it('knows that a site that nobody has must go somewhere: not where its number says', () => {
    // All that is nobody's would be with the second agent by its number.
    const orphans = left(
      i => (i % 2 === 0 ? 0 : -1),
      () => 100,
    )
    const plan = planRepartition(learned, request(orphans))!
    expect(plan.before.downloadMs).toBe((SITES / 2) * 100 * 100)
    expect(plan).toMatchObject({ gainMs: expect.any(Number), left: SITES * 100 })
    const moved = orphans.filter(({ part, site }) => part >= 0 && plan.plan.table.partOf(site) !== part)
    expect(plan.movedSites).toBe(moved.length)
  })

  it('costs no time to move what nobody has leased', () => {
    const waiting = left(
      () => 0,
      () => 100,
    ).map(site => ({ ...site, heldBy: -1 }))
    expect(planRepartition(learned, request(waiting))).toMatchObject({
      movedSites: SITES / 2,
      askedBack: 0,
      relocationMs: 0,
    })
  })

  it('leaves a bargain with who has it, and does not count it as moved', () => {
    const bargains = left(
      () => 0,
      () => 100,
    ).map(site => ({ ...site, part: -1, isTakenOver: true }))
    expect(planRepartition(learned, request(bargains))).toMatchObject({ movedSites: 0, askedBack: 0 })
  })

  it('by graph, sites go to the agents that reach them, and the way is part of the time', () => {
    // Everything is with the agent that is far from it; no link speaks against moving.
    const far = (i: number) => (i < SITES / 2 ? 1 : 0)
    const web = {
      ...learned,
      sites: learned.sites.map((site, i) => ({
        ...site,
        fetchMs: 100 * 300,
        connectMs: { [`agent-${far(i) + 1}`]: 280, [`agent-${2 - far(i)}`]: 20 },
      })),
      netOffsets: Uint32Array.of(0),
      pins: new Uint32Array(0),
      counts: new Float64Array(0),
    }
    const graph = {
      vertices: 'site',
      weights: { links: 1, rtt: 1, change: 0, similarity: 0, geography: 0 },
    } as const
    const all = left(far, () => 100)
    const plan = planRepartition(web, { ...request(all), graph })!
    for (const { site, part } of all) expect(plan.plan.table.partOf(site)).toBe(1 - part)
    // 300 ms a page with 150 ms of way in the mean of both: 430 from afar, 170 from nearby.
    expect(plan.before.downloadMs).toBe((SITES / 2) * 100 * 430)
    expect(plan.after.downloadMs).toBe((SITES / 2) * 100 * 170)
    expect(plan.gainMs).toBeGreaterThan(plan.relocationMs)
  })

  it('an agent is no faster than its line, and what is sent to one far away takes its way', () => {
    const spread = left(
      i => i % 2,
      () => 100,
    )
    const { agents, ...rest } = request(spread)
    const bare = planRepartition(learned, { agents, ...rest })!
    const peers = {
      'agent-1': { rttMs: 500, bytesPerSecond: 1_000 },
      'agent-2': { rttMs: 500, bytesPerSecond: 1_000 },
    }
    const slow = agents.map(agent => ({ ...agent, bytesPerSecond: 50, peers }))
    const narrow = planRepartition(learned, { agents: slow, ...rest })!
    // 600 pages of 10 bytes by 50 a second are 120 s; by the delay they would be 60.
    expect(bare.before.downloadMs).toBe(60_000)
    expect(narrow.before.downloadMs).toBe(120_000)
    expect(narrow.before.exchangeMs).toBeGreaterThan(bare.before.exchangeMs + 500)
  })
})
