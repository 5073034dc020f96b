import { describe, expect, it } from 'vitest'
import { drain, found, OFF, shown, space } from '../../../test/kit/frontier-space.js'
import { CellFrontier } from './cell-frontier.js'

describe('a URL that is set aside', () => {
  it.each([OFF, 5])('comes back as it was, not before its time (depth up to %d)', maxDepth => {
    const frontier = new CellFrontier(space, { maxDepth })
    frontier.offer(found('a'))
    const entry = frontier.next(0)!
    frontier.setAside(entry, 100)
    expect([frontier.size, frontier.next(99), frontier.nextReadyAt()]).toEqual([1, null, 100])
    expect(shown(frontier.next(100))).toBe('a@1 try 1')
    expect(frontier.isEmpty).toBe(true)
  })
})

describe('a frontier without --max-depth', () => {
  it('takes a URL once, whatever its depth, and gives it out in order', () => {
    const frontier = new CellFrontier(space, { maxDepth: OFF })
    expect(frontier.knows(found('a').url, 1)).toBe(false)
    expect([found('a', 5), found('b'), found('a', 1)].map(each => frontier.offer(each))).toEqual([
      true,
      true,
      false,
    ])
    expect(frontier.knows(found('a').url, 0)).toBe(true)
    expect(frontier.size).toBe(2)
    expect(drain(frontier)).toEqual(['a@5 try 1', 'b@1 try 1'])
    expect(frontier.isEmpty).toBe(true)
    expect(frontier.offer(found('b'))).toBe(false)
    frontier.close()
  })

  it('brings a retry back at its time with the next attempt', () => {
    const frontier = new CellFrontier(space, { maxDepth: OFF })
    frontier.offer(found('a'))
    frontier.retry(frontier.next(0)!, 700)
    expect([frontier.size, frontier.isEmpty, frontier.nextReadyAt()]).toEqual([1, false, 700])
    expect([frontier.hasReady(699), frontier.hasReady(700)]).toEqual([false, true])
    expect(frontier.next(699)).toBeNull()
    expect(frontier.next(700)).toEqual({ ...found('a'), attempt: 2 })
    frontier.close()
  })
})

describe('a frontier with --max-depth 3', () => {
  it('opens a URL again that comes back nearer, and only then', () => {
    const frontier = new CellFrontier(space, { maxDepth: 3 })
    const offers = [3, 3, 4, 2, 9, 2, 0, 1].map(depth => frontier.offer(found('a', depth)))
    expect(offers).toEqual([true, false, false, true, false, false, true, false])
    expect([0, 1].map(depth => frontier.knows(found('a').url, depth))).toEqual([true, true])
    expect(drain(frontier)).toEqual(['a@0 try 1'])
    expect([frontier.takePassedOver(), frontier.takePassedOver()]).toEqual([2, 0])
    frontier.close()
  })

  it('counts all depths past the limit as one', () => {
    const frontier = new CellFrontier(space, { maxDepth: 3 })
    expect([9, 7, 4].map(depth => frontier.offer(found('a', depth)))).toEqual([true, false, false])
    expect(drain(frontier)).toEqual(['a@9 try 1'])
    expect(frontier.offer(found('a', 3))).toBe(true)
    // It was never asked for, so this is its first visit.
    expect(drain(frontier)).toEqual(['a@3 try 1'])
    frontier.close()
  })

  it('asks for the links of a fetched page again when its depth falls, and does not store it twice', () => {
    const frontier = new CellFrontier(space, { maxDepth: 3 })
    frontier.offer(found('a', 3))
    expect(shown(frontier.next(0))).toBe('a@3 try 1')
    frontier.offer(found('a', 1))
    const again = frontier.next(0)!
    expect(shown(again)).toBe('a@1 try 1 again')
    frontier.retry(again, 5)
    expect(shown(frontier.next(5))).toBe('a@1 try 2 again')
    frontier.close()
  })

  it('lets a visit that failed go on to store the page, beside a nearer row', () => {
    const frontier = new CellFrontier(space, { maxDepth: 3 })
    frontier.offer(found('a', 3))
    frontier.retry(frontier.next(0)!, 50)
    frontier.offer(found('a', 1))
    expect(shown(frontier.next(0))).toBe('a@1 try 1 again')
    expect(shown(frontier.next(50))).toBe('a@3 try 2')
    frontier.close()
  })
})
