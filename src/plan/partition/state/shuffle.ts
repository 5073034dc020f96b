import type { SeededRandom } from '../../../model/index.js'

/** Shuffles in place and returns the array. */
export function shuffle(items: Int32Array, random: SeededRandom): Int32Array {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random.next() * (i + 1))
    const item = items[i]
    items[i] = items[j]
    items[j] = item
  }
  return items
}

/** 0 .. count - 1 in random order. */
export function shuffled(count: number, random: SeededRandom): Int32Array {
  const items = new Int32Array(count)
  for (let i = 0; i < count; i++) items[i] = i
  return shuffle(items, random)
}
