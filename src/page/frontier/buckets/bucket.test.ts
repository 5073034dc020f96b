import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UrlStates } from '../index.js'
import { Bucket, type BucketElement } from './bucket.js'

describe('the bucket', () => {
  it('takes a host through QUEUING, FETCHING and TIMEWAIT, and is free again', () => {
    const bucket = new Bucket({ columns: 7, rows: 2 })
    const element = bucket.place('a.test')!
    expect(element).toMatchObject({ host: 'a.test', state: 'QUEUING', column: bucket.columnOf('a.test') })
    expect(bucket.place('a.test')).toBeNull()
    bucket.fetch(element)
    expect(() => bucket.fetch(element)).toThrow('is FETCHING')
    bucket.rest(element)
    expect(element.state).toBe('TIMEWAIT')
    expect(bucket.place('a.test')).toBeNull()
    bucket.free(element)
    expect(() => bucket.free(element)).toThrow('has no element')
    expect(bucket.place('a.test')).not.toBeNull()
  })

  it('has a line for a column whose rows are all taken: who came first is told first', () => {
    const bucket = new Bucket({ columns: 1, rows: 2 })
    const [first, second] = [bucket.place('a.test')!, bucket.place('b.test')!]
    expect(bucket.place('c.test')).toBeNull()
    const told: string[] = []
    const leave = bucket.overflow('c.test', () => told.push('c'))
    bucket.overflow('d.test', () => told.push('d'))
    leave()
    bucket.free(first)
    bucket.free(second)
    expect(told).toEqual(['d'])
  })

  it('never has more elements of a column than rows, nor two of a host, and forgets none in line', () => {
    const hosts = fc.integer({ min: 0, max: 30 }).map(n => `h${n}.test`)
    fc.assert(
      fc.property(fc.array(hosts, { maxLength: 200 }), fc.integer({ min: 1, max: 3 }), (asked, rows) => {
        const bucket = new Bucket({ columns: 5, rows })
        const held: BucketElement[] = []
        let waiting = 0
        for (const host of asked) {
          const element = bucket.place(host)
          if (element) held.push(element)
          else {
            waiting++
            bucket.overflow(host, () => waiting--)
          }
          const columns = held.map(({ column }) => column)
          for (const column of columns)
            expect(columns.filter(other => other === column).length).toBeLessThanOrEqual(rows)
          expect(new Set(held.map(other => other.host)).size).toBe(held.length)
        }
        // A place that becomes free is told to one in line; with enough of them everybody was.
        for (let round = 0; round < asked.length; round++)
          for (let column = 0; column < 5; column++) {
            const element = held.find(other => other.column === column)
            if (!element) continue
            bucket.free(element)
            held.splice(held.indexOf(element), 1, bucket.place(element.host)!)
          }
        expect(waiting).toBe(0)
      }),
    )
  })
})

describe('the states of URLs', () => {
  it('slide over an array that only grows: the window begins at the oldest that is not done with', () => {
    const states = new UrlStates(4)
    expect(states.list(3)).toEqual({ first: 0, count: 3 })
    expect(states.list(3)).toEqual({ first: 3, count: 1 })
    expect(states.list(3)).toEqual({ first: 4, count: 0 })
    states.begin(0)
    states.begin(1)
    states.complete(1)
    expect(states.list(1).count).toBe(0)
    states.complete(0)
    // 0 and 1 are behind it now.
    expect(states.list(9)).toEqual({ first: 4, count: 2 })
    // What stalled is retried under a new number and holds nobody up.
    states.stall(2)
    expect(states.size).toBe(3)
    expect(() => states.begin(2)).toThrow('not in the window')
  })

  it('go from IN_LIST through IN_PROGRESS to COMPLETED, or to STALLED, and no other way', () => {
    const states = new UrlStates(4)
    states.list(3)
    expect(() => states.complete(1)).toThrow('URL 1 is IN_LIST, not IN_PROGRESS')
    states.begin(1)
    expect(() => states.begin(1)).toThrow('URL 1 is IN_PROGRESS, not IN_LIST')
    states.stall(1)
    expect(() => states.begin(1)).toThrow('URL 1 is STALLED, not IN_LIST')
    expect(() => states.stall(1)).toThrow('URL 1 is STALLED')
    states.stall(2)
    expect(states.size).toBe(3)
    // A list that was not begun makes room too.
    states.stall(0)
    expect(states.size).toBe(0)
  })

  it('need a byte a URL of the window, however many there were', () => {
    const states = new UrlStates(5_000)
    for (let round = 0; round < 100; round++) {
      const { first, count } = states.list(3_000)
      for (let i = 0; i < count; i++) states.begin(first + i)
      for (let i = 0; i < count; i++) (i % 7 === 0 ? states.stall : states.complete).call(states, first + i)
    }
    expect(states.list(1).first).toBe(300_000)
    states.stall(300_000)
    expect(states.size).toBe(0)
  })
})
