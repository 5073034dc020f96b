import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Discovery } from '../../../model/index.js'
import { CellQueue, type QueueEntry } from './cell-queue.js'
import { QueueSpace } from './queue-space.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-queue-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const page = (n: number, score = 0): Discovery => ({
  url: `https://example.org/topic/page-${n}.html`,
  depth: n % 7,
  hops: n % 2,
  score,
  via: n % 5 === 0 ? '' : `https://example.org/from/${Math.floor(n / 3)}`,
})
const first = (discovery: Discovery): QueueEntry => ({ ...discovery, attempt: 1 })

/** The plain thing the queue must behave like: arrays, sorted by scanning. */
class PlainQueue {
  readonly #entries: { entry: QueueEntry; rank: number }[] = []

  push(discovery: Discovery): void {
    this.#entries.push({ entry: first(discovery), rank: Math.min(31, Math.floor(discovery.score * 32)) })
  }

  next(): QueueEntry | null {
    const best = Math.max(...this.#entries.map(({ rank }) => rank))
    const at = this.#entries.findIndex(({ rank }) => rank === best)
    return at < 0 ? null : this.#entries.splice(at, 1)[0].entry
  }
}

describe('CellQueue', () => {
  it('gives back what came first, with every field, however often memory runs short', () => {
    for (const limitBytes of [2_000, 20_000, 1e9]) {
      const space = new QueueSpace(folder, limitBytes)
      const queue = new CellQueue(space)
      for (let n = 0; n < 5_000; n++) queue.push(page(n))
      expect(space.file.pages > 0).toBe(limitBytes < 1e9)
      expect(queue.size).toBe(5_000)
      const out = Array.from({ length: 5_000 }, () => queue.next(0))
      expect(out).toEqual(Array.from({ length: 5_000 }, (_, n) => first(page(n))))
      expect(queue.next(0)).toBeNull()
      expect([space.file.pages, space.pool.usedBytes]).toEqual([0, 0])
      space.close()
    }
  })

  it('keeps the order of any pushes and takes of several queues that share a tiny limit', () => {
    const urls = fc.oneof(
      fc.nat(1e6).map(n => `https://example.org/${'x'.repeat(n % 300)}${n}`),
      fc.nat(1e6).map(n => `http://example.org/${n}`),
      fc.nat(99).map(n => `https://example.org/${'long/'.repeat(400 + n)}`),
    )
    const discoveries = fc.record({
      url: urls,
      depth: fc.nat(1_000_000),
      hops: fc.nat(10),
      score: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
      via: fc.oneof(fc.constant(''), urls, fc.constant('https://elsewhere.test/päge')),
    })
    const steps = fc.array(fc.tuple(fc.nat(2), fc.option(discoveries, { freq: 2 })), { maxLength: 400 })
    fc.assert(
      fc.property(steps, fc.integer({ min: 300, max: 8_000 }), (moves, limitBytes) => {
        const space = new QueueSpace(folder, limitBytes)
        const queues = [0, 1, 2].map(() => new CellQueue(space))
        const plain = [0, 1, 2].map(() => new PlainQueue())
        for (const [which, discovery] of moves) {
          if (discovery === null) expect(queues[which].next(0)).toEqual(plain[which].next())
          else {
            queues[which].push(discovery)
            plain[which].push(discovery)
          }
        }
        queues[0].close()
        for (const which of [1, 2]) {
          while (queues[which].size > 0) expect(queues[which].next(0)).toEqual(plain[which].next())
          expect(plain[which].next()).toBeNull()
        }
        expect([space.file.pages, space.pool.usedBytes]).toEqual([0, 0])
        space.close()
      }),
      { numRuns: 150 },
    )
  })

  it('takes the highest score first, and the first of equals', () => {
    const space = new QueueSpace(folder, 1e6)
    const queue = new CellQueue(space)
    const scores = [0, 0.5, 1, 0.5, 7, -3, Number.NaN]
    for (const [n, score] of scores.entries()) queue.push({ ...page(n), score })
    const order = scores.map(() => queue.next(0)?.url.match(/\d+/)?.[0])
    expect(order).toEqual(['2', '4', '1', '3', '0', '5', '6'])
    space.close()
  })

  it('holds a retry back until its time, and then lets it go first', () => {
    const space = new QueueSpace(folder, 1e6)
    const queue = new CellQueue(space)
    queue.pushRetry({ ...page(1), attempt: 2 }, 500)
    queue.pushRetry({ ...page(2), attempt: 3 }, 300)
    queue.pushRetry({ ...page(3), attempt: 2 }, 300)
    expect(queue.size).toBe(3)
    expect([queue.hasReady(299), queue.hasReady(300)]).toEqual([false, true])
    expect(queue.nextReadyAt(100)).toBe(300)
    expect(queue.next(299)).toBeNull()
    queue.push(page(4))
    expect(queue.nextReadyAt(100)).toBe(100)
    expect(queue.next(299)).toEqual(first(page(4)))
    expect(queue.next(300)).toEqual({ ...page(2), attempt: 3 })
    expect(queue.next(300)).toEqual({ ...page(3), attempt: 2 })
    expect(queue.next(300)).toBeNull()
    expect(queue.next(9_999)).toEqual({ ...page(1), attempt: 2 })
    expect(queue.nextReadyAt(0)).toBeNull()
    space.close()
  })

  it('lets what is new go before retries that are due, where it is asked to', () => {
    const space = new QueueSpace(folder, 1e6)
    const queue = new CellQueue(space)
    queue.push(page(1))
    queue.push(page(2))
    queue.pushRetry({ ...page(3), attempt: 2 }, 0)
    expect(queue.next(9, true)).toEqual(first(page(1)))
    expect(queue.next(9)).toEqual({ ...page(3), attempt: 2 })
    queue.pushRetry({ ...page(3), attempt: 3 }, 0)
    expect(queue.next(9, true)).toEqual(first(page(2)))
    expect(queue.next(9, true)).toEqual({ ...page(3), attempt: 3 })
    space.close()
  })

  it('lets many retries go in the order of their times', () => {
    const space = new QueueSpace(folder, 1e6)
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 80 }), times => {
        const queue = new CellQueue(space)
        for (const [n, time] of times.entries()) queue.pushRetry({ ...page(n), attempt: 2 }, time)
        const sorted = [...times.entries()].sort((a, b) => a[1] - b[1] || a[0] - b[0])
        expect(times.map(() => queue.next(50)?.url)).toEqual(sorted.map(([n]) => page(n).url))
      }),
    )
    space.close()
  })

  it('keeps ten thousand short queues within 500 bytes each beyond their URLs', () => {
    const space = new QueueSpace(folder, 1e9)
    const queues = Array.from({ length: 10_000 }, () => new CellQueue(space))
    for (const queue of queues) for (let n = 1; n <= 3; n++) queue.push(page(n))
    expect(space.pool.usedBytes / queues.length).toBeLessThanOrEqual(256)
    space.close()
  })

  it('stays within the limit while thousands of queues grow', () => {
    const limitBytes = 1_000_000
    const space = new QueueSpace(folder, limitBytes)
    const queues = Array.from({ length: 400 }, () => new CellQueue(space))
    let peak = 0
    for (let n = 0; n < 100_000; n++) {
      queues[(n * 7) % queues.length].push(page(n))
      peak = Math.max(peak, space.pool.usedBytes)
    }
    expect(peak).toBeLessThanOrEqual(limitBytes)
    expect(readdirSync(folder)).toEqual(['queue.pages'])
    for (const queue of queues) queue.close()
    expect([space.file.pages, space.pool.usedBytes]).toEqual([0, 0])
    space.close()
    expect(readdirSync(folder)).toEqual([])
  })
})
