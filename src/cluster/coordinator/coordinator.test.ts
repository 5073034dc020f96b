import { afterEach, describe, expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { type Bus, type BusMessage, LocalBus } from '../../bus/index.js'
import { chooseAssignment } from '../../compose/index.js'
import type { AssignmentName } from '../../config/index.js'
import type { Ledger } from '../../ledger/index.js'
import { openMemoryLedger } from '../../ledger/memory/index.js'
import { SeededRandom } from '../../model/index.js'
import { Coordinator } from './coordinator.js'

const LEASE = 30_000
const BEAT = 1_000

class Place {
  readonly clock = new ManualClock()
  readonly bus = new LocalBus()
  readonly ledger: Ledger = openMemoryLedger(() => this.clock.now())
  readonly stopping = new AbortController()
  /** Agents that the crawl starts. */
  expected = 0
  slices = true
  /** In whose name the last coordinator acts. */
  incarnation = 0

  async site(...cells: string[]): Promise<void> {
    const rows = [{ url: 'http://x/', depth: 0, hops: 0, score: 0, via: '' }]
    await this.ledger.append(cells.map(cell => ({ cell, group: cell, rows })))
  }

  /** An agent that has said how many lanes it has free. */
  async agent(name: string, free: number): Promise<number> {
    const incarnation = await this.ledger.join(name, Math.max(1, free))
    await this.beat(incarnation, free)
    return incarnation
  }

  async beat(incarnation: number, free: number, seen = 0): Promise<void> {
    const status = { at: this.clock.now(), seen, free, held: 0, busyLanes: [], capacity: 1 }
    await this.ledger.heartbeat(incarnation, LEASE, JSON.stringify(status))
  }

  async coordinator(bus: Bus = this.bus.join(), assign: AssignmentName = 'dynamic'): Promise<Coordinator> {
    this.incarnation = await this.ledger.join('coordinator', 0)
    return new Coordinator({
      clock: this.clock,
      ledger: this.ledger,
      bus,
      incarnation: this.incarnation,
      assignment: chooseAssignment(assign, new SeededRandom(this.incarnation)),
      leaseMs: LEASE,
      beatMs: BEAT,
      leastDelayMs: () => 0,
      slices: this.slices,
      expectedAgents: this.expected,
      ordersBySize: true,
      signal: this.stopping.signal,
      onClosed: () => {},
    })
  }

  /** Something that is not over: without it the crawl would end at the first look. */
  async somethingElse(): Promise<void> {
    await this.site('other')
    const owner = await this.ledger.join('owner', 1)
    await this.ledger.grant(owner, ['other'], 100 * LEASE, 0)
    const status = { at: 1, seen: 1e9, free: 0, held: 1, busyLanes: [1], capacity: 1 }
    await this.ledger.heartbeat(owner, 100 * LEASE, JSON.stringify(status))
  }

  async settle(): Promise<void> {
    for (let i = 0; i < 300; i++) await Promise.resolve()
  }

  async cellsOf(incarnation: number): Promise<string[]> {
    return (await this.ledger.leases(incarnation, 0)).map(({ cell }) => cell).sort()
  }
}

describe('the coordinator', () => {
  let place = new Place()
  afterEach(() => {
    place.stopping.abort()
    place = new Place()
  })

  it('gives the largest sites first, no more than there are free lanes, and tells whom it gave something', async () => {
    await place.site('small', 'large', 'middle')
    await place.ledger.estimate([
      { cell: 'large', size: 90 },
      { cell: 'middle', size: 50 },
    ])
    const [a, b] = [await place.agent('a', 1), await place.agent('b', 1)]
    const heard: BusMessage[] = []
    place.bus.join().subscribe(message => heard.push(message))
    void (await place.coordinator()).run()
    await place.settle()
    expect([...(await place.cellsOf(a)), ...(await place.cellsOf(b))].sort()).toEqual(['large', 'middle'])
    expect(heard.filter(({ kind }) => kind === 'leases')).toHaveLength(2)
  })

  it('gives nothing before all agents that the crawl starts have reported, however slowly, and then each its share', async () => {
    const cells = Array.from({ length: 40 }, (_, i) => `site-${i}`)
    await place.site(...cells)
    place.expected = 3
    const incarnations = await Promise.all(['a', 'b', 'c'].map(name => place.ledger.join(name, 1_000)))
    void (await place.coordinator()).run()
    for (const incarnation of incarnations) {
      for (let second = 0; second < 8; second++) {
        place.clock.advance(BEAT)
        await place.settle()
      }
      for (const each of incarnations) expect(await place.cellsOf(each)).toEqual([])
      await place.beat(incarnation, 1_000)
      place.clock.advance(BEAT)
      await place.settle()
    }
    const shares = await Promise.all(
      incarnations.map(async incarnation => (await place.cellsOf(incarnation)).length),
    )
    expect(shares).toEqual([14, 13, 13])
  })

  it('holds the last sites back for an agent with less to do and no free lane, for a few seconds', async () => {
    const [a, b] = await Promise.all(['a', 'b'].map(name => place.ledger.join(name, 10)))
    const report = async () => {
      const busy = { seen: 0, busyLanes: [], capacity: 1, at: place.clock.now() }
      const says = (incarnation: number, free: number, held: number) =>
        place.ledger.heartbeat(
          incarnation,
          LEASE,
          JSON.stringify({ ...busy, free, held, busySites: held, workLeft: held }),
        )
      await says(a, 6, 4)
      await says(b, 0, 2)
    }
    await place.site('u', 'v', 'w', 'x', 'y', 'z')
    await report()
    void (await place.coordinator()).run()
    await place.settle()
    expect(await place.cellsOf(a)).toEqual(['u', 'v'])
    for (let second = 0; second < 11; second++) {
      expect(await place.cellsOf(a)).toEqual(['u', 'v'])
      place.clock.advance(BEAT)
      await place.settle()
    }
    expect(await place.cellsOf(a)).toEqual(['u', 'v', 'w', 'x', 'y', 'z'])
    expect(await place.cellsOf(b)).toEqual([])
  })

  it('holds nothing back where lanes keep their sites to the end: a free lane takes the head of the queue', async () => {
    place.slices = false
    await place.site('x', 'y')
    const [a, b] = [await place.agent('a', 2), await place.ledger.join('b', 9)]
    const status = { at: 1, seen: 0, free: 0, held: 1, busyLanes: [1], capacity: 1, busySites: 1 }
    await place.ledger.heartbeat(b, LEASE, JSON.stringify(status))
    void (await place.coordinator()).run()
    await place.settle()
    expect(await place.cellsOf(a)).toEqual(['x', 'y'])
  })

  it.each(['dynamic', 'hash', 'static-random'] as const)(
    'with %s waits a few seconds only for an agent that does not come',
    async assign => {
      await place.site('x')
      place.expected = 2
      const a = await place.agent('a', 1_000)
      void (await place.coordinator(place.bus.join(), assign)).run()
      await place.settle()
      expect(await place.cellsOf(a)).toEqual([])
      for (let second = 0; second < 6; second++) {
        place.clock.advance(BEAT)
        await place.beat(a, 1_000)
        await place.settle()
      }
      expect(await place.cellsOf(a)).toEqual(['x'])
    },
  )

  it('lets a single agent wait for nobody', async () => {
    await place.site('x')
    place.expected = 1
    const a = await place.agent('a', 1_000)
    void (await place.coordinator()).run()
    await place.settle()
    expect(await place.cellsOf(a)).toEqual(['x'])
  })

  it.each([
    ['dynamic', [5]],
    ['hash', []],
  ] as const)(
    'with %s asks for sites to be given back when an agent has run dry: %j',
    async (assign, asked) => {
      await place.somethingElse()
      const [a, b] = [await place.ledger.join('a', 1_000), await place.ledger.join('b', 1_000)]
      const heard: BusMessage[] = []
      place.bus.join().subscribe(message => heard.push(message))
      void (await place.coordinator(place.bus.join(), assign)).run()
      for (let second = 0; second < 4; second++) {
        const word = { at: place.clock.now(), seen: 1e9, free: 990, busyLanes: [], capacity: 1 }
        const busy = { ...word, held: 10, busySites: 10, spareGroups: 10 }
        await place.ledger.heartbeat(a, LEASE, JSON.stringify(busy))
        await place.ledger.heartbeat(
          b,
          LEASE,
          JSON.stringify({ ...word, held: 0, busySites: 0, spareGroups: 0 }),
        )
        place.clock.advance(BEAT)
        await place.settle()
      }
      const spare = heard.flatMap(message => (message.kind === 'spare' ? [message] : []))
      expect(spare.map(({ groups }) => groups)).toEqual(asked)
      for (const { to } of spare) expect(to).toBe(a)
    },
  )

  it('lets nobody wait for the answer to what another was given', async () => {
    await place.site('1', '2')
    const [a, b] = [await place.agent('a', 1), await place.agent('b', 1)]
    const { grant } = place.ledger
    place.ledger.grant = (to, ...asked) => (to === a ? new Promise(() => {}) : grant(to, ...asked))
    void (await place.coordinator()).run()
    await place.settle()
    expect(await place.cellsOf(b)).toHaveLength(1)
  })

  it('does not give a lane twice: what an agent has not seen yet counts as taken', async () => {
    await place.site('1', '2', '3', '4')
    const a = await place.agent('a', 2)
    void (await place.coordinator()).run()
    await place.settle()
    expect(await place.cellsOf(a)).toHaveLength(2)
    // It beats, but has not seen them.
    await place.beat(a, 2)
    place.clock.advance(BEAT)
    await place.settle()
    expect(await place.cellsOf(a)).toHaveLength(2)
    const [{ grant }] = (await place.ledger.leases(a, 0)).slice(-1)
    await place.beat(a, 1, grant)
    place.clock.advance(BEAT)
    await place.settle()
    expect(await place.cellsOf(a)).toHaveLength(3)
  })

  it('needs no bus: with every heartbeat it looks for itself', async () => {
    const unsubscribe: Bus = { send: () => {}, subscribe: () => () => {} }
    await place.somethingElse()
    const a = await place.agent('a', 5)
    void (await place.coordinator(unsubscribe)).run()
    await place.settle()
    await place.site('late')
    expect(await place.cellsOf(a)).toEqual([])
    await place.beat(a, 5)
    place.clock.advance(BEAT)
    await place.settle()
    expect(await place.cellsOf(a)).toEqual(['late'])
  })

  it('dies, and another takes its seat after a lease and goes on from the ledger', async () => {
    await place.somethingElse()
    const first = await place.coordinator()
    const dying = first.run()
    await place.settle()
    expect(first.seat).toBe(1)
    const second = await place.coordinator()
    void second.run()
    await place.settle()
    expect(second.seat).toBeNull()
    // From here on nobody hears of the first; the others go on.
    place.stopping.abort()
    await dying
    const a = await place.agent('a', 1)
    await place.site('x')
    const heir = new Place()
    Object.assign(heir, { clock: place.clock, bus: place.bus, ledger: place.ledger })
    const third = await heir.coordinator()
    void third.run()
    for (let i = 0; i < 35; i++) {
      place.clock.advance(BEAT)
      await place.beat(a, 1)
      await place.settle()
    }
    expect(third.seat).toBe(2)
    expect(await place.cellsOf(a)).toEqual(['x'])
    heir.stopping.abort()
  })

  it.each(['static-random', 'static-size'] as const)(
    'with %s dies, and the next one keeps every site on the lane it was bound to',
    async assign => {
      const cells = Array.from({ length: 30 }, (_, i) => `site-${i}`)
      await place.site(...cells)
      const lanes = await Promise.all(['a', 'b'].map(name => place.ledger.join(name, 3)))
      const offer = async () => {
        for (const incarnation of lanes) await place.beat(incarnation, 1, 1e9)
      }
      await offer()
      const first = (await place.coordinator(place.bus.join(), assign)).run()
      await place.settle()
      place.stopping.abort()
      await first
      const bound = new Map((await place.ledger.waiting(99)).map(({ cell, boundTo }) => [cell, boundTo]))
      expect(bound.size).toBeGreaterThan(20)
      expect([...bound.values()]).not.toContain(null)
      await place.ledger.leave(place.incarnation)
      const heir = new Place()
      Object.assign(heir, { clock: place.clock, bus: place.bus, ledger: place.ledger })
      void (await heir.coordinator(place.bus.join(), assign)).run()
      for (let i = 0; i < 3; i++) {
        place.clock.advance(BEAT)
        await offer()
        await place.settle()
      }
      const later = await place.ledger.waiting(99)
      expect(later.length).toBeLessThan(bound.size)
      for (const { cell, boundTo } of later) expect(boundTo).toEqual(bound.get(cell))
      heir.stopping.abort()
    },
  )

  /** `a` has a site of group g in hand, and so its turn; others of g wait, some of them meant for `b`. */
  const heldGroup = async (free: { readonly a: number; readonly b: number }) => {
    const row = { url: 'http://x/', depth: 0, hops: 0, score: 0, via: '' }
    const cells = Array.from({ length: 12 }, (_, i) => `g${i}`)
    await place.ledger.append(cells.map(cell => ({ cell, group: 'g', rows: [row] })))
    const [a, b] = [await place.ledger.join('a', 1), await place.ledger.join('b', 1)]
    expect(await place.ledger.grant(a, ['g0'], 100 * LEASE, 0)).toHaveLength(1)
    const offer = async () => {
      await place.beat(a, free.a, 1e9)
      await place.beat(b, free.b, 1e9)
    }
    await offer()
    const heard: BusMessage[] = []
    place.bus.join().subscribe(message => heard.push(message))
    return { a, b, heard, offer }
  }

  it.each(['hash', 'static-random', 'static-size'] as const)(
    'with %s tells the holder of a turn that others wait for it, also when that has no lane free',
    async assign => {
      const { a, heard, offer } = await heldGroup({ a: 0, b: 1 })
      void (await place.coordinator(place.bus.join(), assign)).run()
      for (let beat = 0; beat < 3; beat++) {
        await place.settle()
        place.clock.advance(BEAT)
        await offer()
      }
      await place.settle()
      // Said with every beat: the bus may lose it.
      const wanted = heard.filter(({ kind }) => kind === 'wanted')
      expect(wanted.length).toBeGreaterThanOrEqual(3)
      for (const message of wanted) expect(message).toEqual({ kind: 'wanted', to: a, groups: ['g'] })
    },
  )

  it('with dynamic gives the sites of a group to the holder of its turn alone, and wants nothing of it', async () => {
    const { a, b, heard } = await heldGroup({ a: 3, b: 3 })
    void (await place.coordinator()).run()
    await place.settle()
    expect(await place.cellsOf(a)).toHaveLength(4)
    expect(await place.cellsOf(b)).toEqual([])
    expect(heard.filter(({ kind }) => kind === 'wanted')).toEqual([])
  })

  it('gives nobody a site of a group whose turn somebody needs for one request, while that is being said', async () => {
    const { a, offer } = await heldGroup({ a: 3, b: 3 })
    await place.site('other')
    const visitor = place.bus.join()
    const ofGroup = async () => (await place.cellsOf(a)).filter(cell => cell !== 'other')
    void (await place.coordinator()).run()
    for (let second = 0; second < 5; second++) {
      visitor.send({ kind: 'turn-request', groups: ['g'] })
      await place.settle()
      expect(await ofGroup()).toEqual(['g0'])
      place.clock.advance(BEAT)
      await offer()
    }
    // The other site is of no concern to it.
    expect(await place.ledger.waiting(99)).toHaveLength(11)
    for (let second = 0; second < 5; second++) {
      await place.settle()
      place.clock.advance(BEAT)
      await offer()
    }
    await place.settle()
    expect((await ofGroup()).length).toBeGreaterThan(1)
  })

  it('closes an agent that fell silent; its sites go to another, from the head of the queue', async () => {
    await place.site('x', 'y')
    const [a, b] = [await place.agent('a', 1), await place.agent('b', 0)]
    void (await place.coordinator()).run()
    await place.settle()
    expect(await place.cellsOf(a)).toEqual(['x'])
    for (let i = 0; i < 62; i++) {
      place.clock.advance(BEAT)
      await place.beat(b, i < 61 ? 0 : 1)
      await place.beat(place.incarnation, 0)
      await place.settle()
    }
    place.clock.advance(BEAT)
    await place.settle()
    expect((await place.ledger.agents()).map(({ name }) => name)).not.toContain('a')
    expect(await place.cellsOf(b)).toEqual(['x'])
  })

  it('ends the crawl when nothing waits or is leased, and says so', async () => {
    await place.site('x')
    const a = await place.agent('a', 1)
    const heard: BusMessage[] = []
    place.bus.join().subscribe(message => heard.push(message))
    const running = (await place.coordinator()).run()
    await place.settle()
    const [lease] = await place.ledger.leases(a, 0)
    await place.ledger.park('x', lease.epoch, place.clock.now() + 1e9, 'status 503')
    await place.beat(a, 1, lease.grant)
    place.clock.advance(BEAT)
    expect(await running).toBe('parked')
    expect(heard).toContainEqual({ kind: 'ended' })
  })
})
