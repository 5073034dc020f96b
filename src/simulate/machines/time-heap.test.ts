import fc from 'fast-check'
import { expect, it } from 'vitest'
import { TimeHeap } from './time-heap.js'

it('brings what comes first, and of equal times who came first, however pushes and shifts alternate', () => {
  const steps = fc.array(fc.oneof(fc.nat({ max: 20 }), fc.constant(null)), { maxLength: 400 })
  fc.assert(
    fc.property(steps, taken => {
      const heap = new TimeHeap<number>()
      const sorted: { time: number; id: number }[] = []
      for (const [id, time] of taken.entries()) {
        if (time !== null) {
          heap.push(time, id)
          const after = sorted.findIndex(other => other.time > time)
          sorted.splice(after < 0 ? sorted.length : after, 0, { time, id })
          continue
        }
        const first = sorted.shift()
        expect(heap.firstAt).toBe(first?.time ?? Number.POSITIVE_INFINITY)
        expect(heap.shift()).toBe(first?.id ?? null)
      }
    }),
  )
})

it('forgets what is not wanted, and brings the rest as before', () => {
  const times = fc.array(fc.record({ time: fc.nat({ max: 20 }), isWanted: fc.boolean() }), { maxLength: 200 })
  fc.assert(
    fc.property(times, things => {
      const heap = new TimeHeap<number>()
      for (const [id, { time }] of things.entries()) heap.push(time, id)
      heap.keep(id => things[id].isWanted)
      const wanted = things.map((thing, id) => ({ ...thing, id })).filter(({ isWanted }) => isWanted)
      expect(heap.size).toBe(wanted.length)
      for (const { id } of wanted.sort((a, b) => a.time - b.time || a.id - b.id))
        expect(heap.shift()).toBe(id)
      expect(heap.shift()).toBe(null)
    }),
  )
})

it('grows', () => {
  const heap = new TimeHeap<number>()
  for (let i = 0; i < 5_000; i++) heap.push(5_000 - i, i)
  for (let i = 4_999; i >= 0; i--) expect(heap.shift()).toBe(i)
})
