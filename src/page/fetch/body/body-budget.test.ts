import { describe, expect, test } from 'vitest'
import { READ_BYTES } from '../../../model/index.js'
import { BodyBudget } from './body-budget.js'
import { BodyBuffer } from './body-buffer.js'

const piece = Buffer.alloc(READ_BYTES, 'x')

/** A body that arrives as fast as it is allowed to. */
class Arrival {
  readonly body: BodyBuffer
  paused = false

  constructor(budget: BodyBudget) {
    this.body = new BodyBuffer(budget, 1e9, false)
  }

  /** Takes pieces until paused, at most `count`. */
  take(count: number): void {
    for (let i = 0; i < count && !this.paused; i++) {
      this.body.append(piece, 0, piece.length, false)
      this.paused = !this.body.ready(() => {
        this.paused = false
      })
    }
  }
}

describe('bodies in flight', () => {
  test('past the bound the newer ones pause and the oldest goes on', () => {
    const budget = new BodyBudget(8 * READ_BYTES)
    const [oldest, middle, newest] = [0, 1, 2].map(() => new Arrival(budget))
    for (const arrival of [oldest, middle, newest]) arrival.take(1)
    middle.take(50)
    newest.take(50)
    expect([oldest.paused, middle.paused, newest.paused]).toEqual([false, true, true])
    expect(budget.heldBytes).toBeLessThanOrEqual(8 * READ_BYTES)
    oldest.take(50)
    expect(oldest.paused).toBe(false)
    expect(oldest.body.length).toBe(51 * READ_BYTES)
  })

  test('when the oldest is done the next oldest goes on, however much the others hold', () => {
    const budget = new BodyBudget(4 * READ_BYTES)
    const all = [0, 1, 2, 3].map(() => new Arrival(budget))
    for (const arrival of all) arrival.take(20)
    expect(all.map(arrival => arrival.paused)).toEqual([false, true, true, true])
    for (let i = 0; i < all.length; i++) {
      all[i].take(20)
      expect(all[i].paused).toBe(false)
      all[i].body.release()
    }
    expect([budget.heldBytes, budget.waiting]).toEqual([0, 0])
  })

  test('room for one is not given to all that wait', () => {
    const budget = new BodyBudget(8 * READ_BYTES)
    const oldest = new Arrival(budget)
    oldest.take(1)
    const small = new Arrival(budget)
    small.take(1)
    const waiting = [new Arrival(budget), new Arrival(budget)]
    for (const arrival of waiting) arrival.take(50)
    expect(waiting.map(({ paused }) => paused)).toEqual([true, true])
    small.body.release()
    expect(budget.heldBytes).toBeLessThanOrEqual(8 * READ_BYTES)
    expect(waiting.some(({ paused }) => paused)).toBe(true)
  })

  test('one that gives up while paused leaves no trace', () => {
    const budget = new BodyBudget(2 * READ_BYTES)
    const [first, second] = [new Arrival(budget), new Arrival(budget)]
    first.take(5)
    second.take(5)
    expect(second.paused).toBe(true)
    second.body.release()
    expect(budget.waiting).toBe(0)
    first.body.release()
    expect(budget.heldBytes).toBe(0)
    expect(second.paused).toBe(true)
  })

  test('bytes that come although paused are kept, and counted', () => {
    const budget = new BodyBudget(2 * READ_BYTES)
    const [first, second] = [new Arrival(budget), new Arrival(budget)]
    first.take(5)
    second.take(5)
    expect(second.paused).toBe(true)
    const before = second.body.length
    const late = Buffer.alloc(5 * READ_BYTES, 'y')
    second.body.append(late, 0, late.length, false)
    expect(second.body.ready(() => {})).toBe(false)
    first.body.release()
    expect(second.paused).toBe(false)
    expect(second.body.bytes().subarray(before).equals(late)).toBe(true)
    expect(budget.heldBytes).toBeGreaterThanOrEqual(before + late.length)
    second.body.release()
    expect(budget.heldBytes).toBe(0)
  })

  test('what was collected over many pieces is in order', () => {
    const body = new BodyBuffer(new BodyBudget(1e9), 1_000_000, true)
    const source = Buffer.from(Array.from({ length: 1_000_000 }, (_, i) => i % 251))
    for (let at = 0; at < source.length; at += 30_000) {
      const end = Math.min(at + 30_000, source.length)
      body.append(source, at, end, end === source.length)
      expect(body.ready(() => {})).toBe(true)
    }
    expect(body.bytes().equals(source)).toBe(true)
  })

  test('what is decoded counts until it is released, and meanwhile nothing else is decoded', () => {
    const budget = new BodyBudget(4 * READ_BYTES)
    const [first, second, third] = [0, 1, 2].map(() => new BodyBuffer(budget, 1e9, false))
    for (const body of [first, second, third]) body.append(piece, 0, 10, true)
    const resumed: string[] = []
    expect(first.mayDecode(0, () => {})).toBe(true)
    first.decoded(20 * READ_BYTES)
    expect(second.mayDecode(0, () => resumed.push('second'))).toBe(false)
    expect(third.mayDecode(0, () => resumed.push('third'))).toBe(false)
    first.release()
    expect(resumed).toEqual(['second', 'third'])
    second.release()
    third.release()
    expect([budget.heldBytes, budget.waiting]).toEqual([0, 0])
  })

  test('room for all that a body may be decoded to is had before, and what was not needed is free again', () => {
    const budget = new BodyBudget(11 * READ_BYTES)
    const [first, second] = [0, 1].map(() => new BodyBuffer(budget, 1e9, false))
    for (const body of [first, second]) body.append(piece, 0, piece.length, true)
    let isResumed = false
    const memory = second.bytes().buffer
    expect(first.mayDecode(8 * READ_BYTES, () => {})).toBe(true)
    expect(
      second.mayDecode(8 * READ_BYTES, () => {
        isResumed = true
      }),
    ).toBe(false)
    first.decoded(1)
    expect(isResumed).toBe(true)
    expect(second.length).toBe(READ_BYTES)
    // The room is for its decoded form: the body itself stays where it is.
    expect(second.bytes().buffer).toBe(memory)
    first.release()
    second.release()
    expect(budget.heldBytes).toBe(0)
  })

  test('a promise of much costs nothing before it is kept', () => {
    const budget = new BodyBudget(1e9)
    const body = new BodyBuffer(budget, 32 * 1024 * 1024, true)
    body.append(piece, 0, 10, false)
    body.ready(() => {})
    expect(budget.heldBytes).toBeLessThanOrEqual(2 * READ_BYTES)
  })
})
