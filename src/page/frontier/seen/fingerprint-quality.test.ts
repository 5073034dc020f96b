import { describe, expect, it } from 'vitest'
import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import { Slab } from '../spill/index.js'
import { BlockFilter } from './block-filter.js'

const COUNT = 200_000
const families: Readonly<Record<string, (n: number) => string>> = {
  numbers: n => `http://s01.test/p/${n}`,
  'padded numbers': n => `http://example.org/item/${String(n).padStart(9, '0')}.html`,
  'query permutations': n =>
    `https://example.org/s?page=${n % 100}&sort=${Math.floor(n / 100) % 10}&id=${n / 1000}`,
  'two letters at a time': n => `http://h/${n.toString(2).padStart(20, '0')}`,
  'up and down': n => `http://h/${n.toString(16)}/${(COUNT - n).toString(16)}`,
}

/** Entries equal to the one before, once sorted. */
function repeats(sorted: Uint32Array | BigUint64Array): number {
  let count = 0
  for (let i = 1; i < sorted.length; i++) if (sorted[i] === sorted[i - 1]) count++
  return count
}

describe('the fingerprint of a URL', () => {
  it.each(Object.keys(families))('is as good as chance on very similar URLs: %s', name => {
    const whole = new BigUint64Array(COUNT)
    const halves = new Uint32Array(whole.buffer)
    const ones = new Uint32Array(64)
    for (let n = 0; n < COUNT; n++) {
      takeFingerprint(families[name](n))
      halves[n * 2] = fingerprint.low
      halves[n * 2 + 1] = fingerprint.high
      for (let bit = 0; bit < 32; bit++) {
        ones[bit] += (fingerprint.low >>> bit) & 1
        ones[32 + bit] += (fingerprint.high >>> bit) & 1
      }
    }
    // Six standard deviations: chance does that once in a hundred million times, a weak hash every time.
    const unbalanced = ones.filter(count => Math.abs(count - COUNT / 2) > 6 * Math.sqrt(COUNT / 4))
    expect([...unbalanced]).toEqual([])
    const expected = COUNT ** 2 / 2 ** 33
    for (const half of [halves.filter((_, i) => i % 2 === 0), halves.filter((_, i) => i % 2 === 1)]) {
      expect(Math.abs(repeats(half.sort()) - expected)).toBeLessThan(6 * Math.sqrt(expected) + 1)
    }
    expect(repeats(whole.sort())).toBe(0)
  })
})

describe('the filter of a run', () => {
  it.each([500, 60_000])('knows all of %i entries and takes few others for one', entries => {
    const filter = new BlockFilter(new Slab(), entries, 10)
    const show = (n: number, use: (low: number, high: number) => unknown) => {
      takeFingerprint(`http://h/${n}`)
      // One run's entries share the first bits of their high half.
      return use(fingerprint.low, fingerprint.high >>> 9)
    }
    for (let n = 0; n < entries; n++) show(n, (low, high) => filter.add(low, high))
    let missed = 0
    let mistaken = 0
    for (let n = 0; n < entries; n++) if (!show(n, (low, high) => filter.has(low, high))) missed++
    for (let n = entries; n < 2 * entries; n++) if (show(n, (low, high) => filter.has(low, high))) mistaken++
    expect(missed).toBe(0)
    expect(mistaken / entries).toBeLessThan(0.03)
  })
})
