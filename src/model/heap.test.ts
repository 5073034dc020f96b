import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Heap } from './heap.js'

interface Item {
  rank: number
}
const isBefore = (a: Item, b: Item) => a.rank < b.rank

it('gives the first of what is in it, whatever came, went and changed meanwhile', () => {
  const step = fc.record({ what: fc.constantFrom('push', 'shift', 'change'), rank: fc.nat(30) })
  fc.assert(
    fc.property(fc.array(fc.nat(30)), fc.array(step), (ranks, steps) => {
      const items = ranks.map(rank => ({ rank }))
      const heap = new Heap<Item>(isBefore, [...items])
      for (const { what, rank } of steps) {
        const least = items.length === 0 ? undefined : Math.min(...items.map(item => item.rank))
        expect(heap.first?.rank).toBe(least)
        expect(heap.size).toBe(items.length)
        if (what === 'push') {
          const item = { rank }
          items.push(item)
          heap.push(item)
        } else if (what === 'shift') {
          const gone = heap.shift()
          expect(gone?.rank).toBe(least)
          if (gone) items.splice(items.indexOf(gone), 1)
        } else if (heap.first) {
          heap.first.rank += rank
          heap.firstChanged()
        }
      }
    }),
  )
})
