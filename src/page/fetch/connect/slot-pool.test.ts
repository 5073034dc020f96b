import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import type { Pooled, Slot, SlotWaiter } from './site-slots.js'
import { SlotPool } from './slot-pool.js'

const IDLE_MS = 20_000
let opened = 0

/** A connection without a socket. */
class Line implements Pooled {
  readonly secure: boolean
  open = true

  constructor(secure: boolean) {
    this.secure = secure
    opened++
  }

  fits(secure: boolean): boolean {
    return this.secure === secure
  }

  close(): void {
    this.open = false
  }
}

class TurnWaiter implements SlotWaiter<Line> {
  readonly site: string
  readonly secure: boolean
  readonly address = undefined
  readonly number: number
  ticket = 0
  slot: Slot<Line> | null = null
  readonly #order: TurnWaiter[]

  constructor(site: string, order: TurnWaiter[], number = 0, secure = false) {
    this.site = site
    this.secure = secure
    this.number = number
    this.#order = order
  }

  granted(slot: Slot<Line>): void {
    expect(this.slot).toBeNull()
    this.slot = slot
    if (slot.connection !== null) {
      expect(slot.connection.open).toBe(true)
      expect(slot.connection.secure).toBe(this.secure)
    }
    slot.connection ??= new Line(this.secure)
    this.#order.push(this)
  }
}

function release(pool: SlotPool<Line>, waiter: TurnWaiter, alive = true): void {
  if (waiter.slot === null) throw new Error('has no slot')
  const { slot } = waiter
  waiter.slot = null
  pool.release(slot, alive ? slot.connection : null)
}

describe('slots', () => {
  test('those that wait longest are served first, whatever their site', () => {
    const order: TurnWaiter[] = []
    const pool = new SlotPool<Line>(new ManualClock(), IDLE_MS, 1, 1)
    const waiters = ['a', 'b', 'a', 'c', 'b'].map((site, i) => new TurnWaiter(site, order, i))
    for (const waiter of waiters) pool.acquire(waiter)
    for (let i = 0; i < 5; i++) release(pool, order[i])
    expect(order.map(waiter => waiter.number)).toEqual([0, 1, 2, 3, 4])
  })

  test('a site at its own bound does not hold up another', () => {
    const order: TurnWaiter[] = []
    const pool = new SlotPool<Line>(new ManualClock(), IDLE_MS, 10, 1)
    for (const [i, site] of ['a', 'a', 'a', 'b'].entries()) pool.acquire(new TurnWaiter(site, order, i))
    expect(order.map(waiter => waiter.number)).toEqual([0, 3])
  })

  test('the least recently used idle connection makes way', () => {
    const order: TurnWaiter[] = []
    const pool = new SlotPool<Line>(new ManualClock(), IDLE_MS, 2, 1)
    const lines: Line[] = []
    for (const site of ['a', 'b', 'a']) {
      const waiter = new TurnWaiter(site, order)
      pool.acquire(waiter)
      lines.push(waiter.slot?.connection as Line)
      release(pool, waiter)
    }
    expect(lines[2]).toBe(lines[0])
    pool.acquire(new TurnWaiter('c', order))
    expect([lines[0].open, lines[1].open]).toEqual([true, false])
  })

  test('a site whose only connection made way for itself still counts', () => {
    const order: TurnWaiter[] = []
    const pool = new SlotPool<Line>(new ManualClock(), IDLE_MS, 1, 2)
    const plain = new TurnWaiter('a', order)
    pool.acquire(plain)
    release(pool, plain)
    pool.acquire(new TurnWaiter('a', order, 1, true))
    pool.setBounds(5, 1)
    pool.acquire(new TurnWaiter('a', order, 2, true))
    expect(order.map(waiter => waiter.number)).toEqual([0, 1])
  })

  test('idle connections end one by one when their time has come, and leave no timer', () => {
    const clock = new ManualClock()
    const pool = new SlotPool<Line>(clock, IDLE_MS, 10, 1)
    for (const site of ['a', 'b']) {
      const waiter = new TurnWaiter(site, [])
      pool.acquire(waiter)
      release(pool, waiter)
      clock.advance(5_000)
    }
    clock.advance(10_000)
    expect(pool.idle).toBe(1)
    clock.advance(5_000)
    expect([pool.open, pool.idle, pool.sites, clock.pending]).toEqual([0, 0, 0, 0])
  })

  test('a seeker that gave up is passed over, and leaves nothing behind', () => {
    const order: TurnWaiter[] = []
    const pool = new SlotPool<Line>(new ManualClock(), IDLE_MS, 1, 1)
    const waiters = ['a', 'b', 'a', 'c'].map((site, i) => new TurnWaiter(site, order, i))
    for (const waiter of waiters) pool.acquire(waiter)
    pool.cancel(waiters[1])
    pool.cancel(waiters[2])
    expect(pool.sites).toBe(2)
    release(pool, waiters[0])
    expect(order).toEqual([waiters[0], waiters[3]])
    release(pool, waiters[3], false)
    expect(pool.sites).toBe(0)
  })
})

test('whatever happens: bounds hold, nobody waits in vain, a site is served in order', () => {
  const site = fc.constantFrom('a', 'b', 'c', 'd')
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('acquire' as const), site, secure: fc.boolean() }) },
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant('release' as const), pick: fc.nat(), alive: fc.boolean() }),
    },
    fc.record({ do: fc.constant('cancel' as const), pick: fc.nat() }),
    fc.record({ do: fc.constant('lost' as const), pick: fc.nat() }),
    fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 30_000 }) }),
    fc.record({
      do: fc.constant('bounds' as const),
      total: fc.integer({ min: 1, max: 5 }),
      perSite: fc.integer({ min: 1, max: 3 }),
    }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), steps => {
      const clock = new ManualClock()
      const order: TurnWaiter[] = []
      const held: TurnWaiter[] = []
      let bounds = { total: 3, perSite: 1 }
      let waiting: TurnWaiter[] = []
      const slots = new Set<Slot<Line>>()
      const pool = new SlotPool<Line>(clock, IDLE_MS, bounds.total, bounds.perSite)
      let served = 0
      const settle = (): void => {
        for (; served < order.length; served++) {
          const waiter = order[served]
          const first = waiting.find(other => other.site === waiter.site)
          expect(first === undefined || first === waiter || !waiting.includes(waiter)).toBe(true)
          waiting = waiting.filter(other => other !== waiter)
          held.push(waiter)
          if (waiter.slot !== null) slots.add(waiter.slot)
        }
      }
      for (const [i, action] of steps.entries()) {
        const before = held.length
        if (action.do === 'acquire') {
          const waiter = new TurnWaiter(action.site, order, i, action.secure)
          waiting.push(waiter)
          pool.acquire(waiter)
        } else if (action.do === 'release' && held.length > 0) {
          release(pool, held.splice(action.pick % held.length, 1)[0], action.alive)
        } else if (action.do === 'cancel' && waiting.length > 0) {
          pool.cancel(waiting.splice(action.pick % waiting.length, 1)[0])
        } else if (action.do === 'lost' && slots.size > 0) {
          pool.lost([...slots][action.pick % slots.size])
        } else if (action.do === 'pass') clock.advance(action.ms)
        else if (action.do === 'bounds') {
          bounds = action
          pool.setBounds(action.total, action.perSite)
        }
        settle()
        const perSite = (name: string): number => held.filter(waiter => waiter.site === name).length
        // Lowered bounds are reached as requests end; they are never passed by new ones.
        if (held.length > before) {
          expect(pool.open).toBeLessThanOrEqual(bounds.total)
          expect(perSite(held.at(-1)?.site ?? '')).toBeLessThanOrEqual(bounds.perSite)
        }
        expect(pool.open).toBe(held.length + pool.idle)
        for (const waiter of waiting) {
          const couldGo = held.length < bounds.total && perSite(waiter.site) < bounds.perSite
          expect(couldGo).toBe(false)
        }
      }
      for (const waiter of waiting) pool.cancel(waiter)
      for (const waiter of held) release(pool, waiter)
      pool.close()
      expect([pool.open, pool.idle, pool.sites, clock.pending]).toEqual([0, 0, 0, 0])
    }),
    { numRuns: 2000 },
  )
  expect(opened).toBeGreaterThan(1000)
})
