import { inflateRawSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { SeededRandom } from '../../../../model/index.js'
import { FastDeflate } from './fast-deflate.js'

/** Words of a few, so that there are matches near and far, and now and then a byte of any kind. */
function wordy(bytes: number, random: SeededRandom): Buffer {
  const words = Array.from({ length: 40 }, () => random.bytes(3 + Math.floor(random.next() * 12)))
  const parts: Uint8Array[] = []
  for (let length = 0; length < bytes; length += parts[parts.length - 1].length)
    parts.push(random.next() < 0.9 ? words[Math.floor(random.next() ** 2 * words.length)] : random.bytes(1))
  return Buffer.concat(parts).subarray(0, bytes)
}

it('inflates to what it was, at any length: short, at the edges of window and table, and long', () => {
  const fast = new FastDeflate()
  const random = new SeededRandom(7)
  const around = (size: number) => Array.from({ length: 9 }, (_, i) => size - 4 + i)
  const sizes = [...around(4), ...around(16), ...around(32_768), ...around(65_536), 200_000, fast.maxBytes]
  for (const size of sizes) {
    const input = wordy(size, random)
    const deflated = Buffer.from(fast.deflate(input))
    expect(inflateRawSync(deflated).equals(input), `${size} bytes`).toBe(true)
    if (size > 30_000) expect(deflated.length).toBeLessThan(0.75 * size)
  }
})

it('takes one long run, and bytes that never come again', () => {
  const fast = new FastDeflate()
  for (const input of [Buffer.alloc(70_000, 'a'), Buffer.from(new SeededRandom(3).bytes(70_000))])
    expect(inflateRawSync(fast.deflate(input)).equals(input)).toBe(true)
})
