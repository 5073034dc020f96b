import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import type { Discovery } from '../../../model/index.js'
import { CellFrontier, FrontierSpace } from '../index.js'
import { CellQueue } from './cell-queue.js'
import { QueueSpace } from './queue-space.js'
import { RankedRoom, RankedWindow } from './ranked-window.js'

const page = (n: number, score = 0): Discovery => ({
  url: `https://example.org/${n}`,
  depth: 1,
  hops: 0,
  score,
  via: '',
})

describe('order by in-links', () => {
  it('takes the most linked first, and among equals the first found', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 })), found => {
        const window = new RankedWindow(new RankedRoom(1e9))
        const plain = new Map<number, { links: number; at: number }>()
        for (const n of found) {
          const known = plain.get(n)
          takeFingerprint(page(n).url)
          if (known) {
            known.links++
            window.linked(fingerprint.low, fingerprint.high)
          } else {
            plain.set(n, { links: 1, at: plain.size })
            window.push(page(n))
          }
        }
        const want = [...plain].sort(([, a], [, b]) => b.links - a.links || a.at - b.at).map(([n]) => page(n))
        const got: (Discovery | null)[] = []
        while (got.length < plain.size) got.push(window.shift())
        expect(got).toEqual(want)
        expect(window.shift()).toBe(null)
      }),
    )
  })

  it('puts a score before links', () => {
    const window = new RankedWindow(new RankedRoom(1e9))
    window.push(page(1))
    window.push(page(2, 0.5))
    takeFingerprint(page(1).url)
    window.linked(fingerprint.low, fingerprint.high)
    expect(window.shift()).toEqual(page(2, 0.5))
  })

  it('loses nothing when its room is small, and gives all of it back', () => {
    const folder = mkdtempSync(join(tmpdir(), 'orb-ranked-'))
    const room = new RankedRoom(2_000)
    const space = new QueueSpace(folder, 1_000)
    const queues = [0, 1].map(() => new CellQueue(space, new RankedWindow(room)))
    for (let n = 0; n < 500; n++) queues[n % 2].push(page(n))
    const got = queues.flatMap(queue => Array.from({ length: 250 }, () => queue.next(0)?.url))
    expect(new Set(got).size).toBe(500)
    expect(queues.map(queue => [queue.size, queue.next(0)])).toEqual([
      [0, null],
      [0, null],
    ])
    expect(room.isFull).toBe(false)
    queues[0].push(page(1))
    queues[0].close()
    room.take(1_999)
    expect(room.isFull).toBe(false)
    space.close()
    rmSync(folder, { recursive: true })
  })

  it('counts the links that a frontier meets, and only where it is asked to', () => {
    const folder = mkdtempSync(join(tmpdir(), 'orb-ranked-'))
    const space = new FrontierSpace({ folder, seenBytes: 1e6, queueBytes: 1e6, salt: 1 })
    const orders = (['breadth', 'inlinks'] as const).map(order => {
      const frontier = new CellFrontier(space, { maxDepth: Number.POSITIVE_INFINITY, order })
      for (const n of [1, 2, 3]) frontier.offer(page(n))
      expect(frontier.meets(page(3).url, 1)).toBe(true)
      expect(frontier.meets(page(9).url, 1)).toBe(false)
      return [1, 2, 3].map(() => frontier.next(0)?.url.slice(-1)).join('')
    })
    expect(orders).toEqual(['123', '312'])
    space.close()
    rmSync(folder, { recursive: true })
  })
})
