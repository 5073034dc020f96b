import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import { SeededRandom } from '../../../model/index.js'
import { Slab } from '../spill/index.js'
import { FingerprintTable } from './fingerprint-table.js'
import { SeenSet } from './seen-set.js'
import { SeenSpace } from './seen-space.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-seen-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const key = (low: number, high: number): bigint => (BigInt(high) << 32n) | BigInt(low)

interface AnySet {
  add(low: number, high: number): boolean
  has(low: number, high: number): boolean
  readonly size: number
}

/**
 * Adds fingerprints from a range narrow enough that many repeat, and holds every answer against a plain Set.
 */
function compareWithSet(set: AnySet, rounds: number, range: number, seed: number): Set<bigint> {
  const random = new SeededRandom(seed)
  const truth = new Set<bigint>()
  let wrong = 0
  for (let i = 0; i < rounds; i++) {
    const n = Math.floor(random.next() * range)
    // Numbers spread over both halves; every 16th shares its high half with others, and 0 is among them.
    const low = Math.imul(n, 0x9e3779b1) >>> 0
    const high = n % 16 === 0 ? n % 256 : Math.imul(n, 0x85ebca6b) >>> 0
    const known = truth.has(key(low, high))
    if (set.has(low, high) !== known) wrong++
    if (set.add(low, high) === known) wrong++
    truth.add(key(low, high))
    if (set.size !== truth.size) wrong++
  }
  expect(wrong).toBe(0)
  return truth
}

describe('FingerprintTable', () => {
  it('answers as a plain set does, across growth and division into pieces', () => {
    const set = new FingerprintTable(new Slab(), 7)
    compareWithSet(set, 300_000, 200_000, 1)
    expect(set.size).toBeGreaterThan(100_000)
  })

  it('keeps (0, 0) apart from a free slot', () => {
    const set = new FingerprintTable(new Slab(), 0)
    expect(set.has(0, 0)).toBe(false)
    expect(set.add(0, 0)).toBe(true)
    expect(set.add(0, 0)).toBe(false)
    expect(set.has(0, 1)).toBe(false)
    expect(set.size).toBe(1)
  })

  it('holds a URL in at most 16 bytes at every size, and nothing when empty', () => {
    const set = new FingerprintTable(new Slab(), 3)
    expect(set.bytes).toBe(0)
    let worst = 0
    for (let i = 0; i < 400_000; i++) {
      takeFingerprint(`http://example.org/page/${i}`)
      set.add(fingerprint.low, fingerprint.high)
      // What the runtime adds to each array is not the URLs' own and vanishes in large sets.
      if (i > 2_000 && i % 97 === 0) worst = Math.max(worst, set.bytes / set.size)
    }
    expect(worst).toBeLessThanOrEqual(16)
  })
})

describe('SeenSet', () => {
  const sizes = [
    { limitBytes: 2_000, partitionEntries: 300, rounds: 20_000, range: 12_000 },
    { limitBytes: 60_000, partitionEntries: 2_000, rounds: 60_000, range: 40_000 },
    { limitBytes: 200_000, partitionEntries: 1_000_000, rounds: 60_000, range: 40_000 },
    { limitBytes: 1e9, partitionEntries: 500, rounds: 30_000, range: 20_000 },
  ]
  for (const { limitBytes, partitionEntries, rounds, range } of sizes) {
    it(`answers as a plain set does with ${limitBytes} bytes and ${partitionEntries} entries a partition`, () => {
      const space = new SeenSpace({ folder, limitBytes, salt: 99 })
      const set = new SeenSet(space, { partitionEntries })
      const truth = compareWithSet(set, rounds, range, limitBytes)
      expect(space.entriesOnDisk > 0).toBe(limitBytes < 1e9)
      const lost = [...truth].filter(entry => !set.has(Number(entry & 0xffffffffn), Number(entry >> 32n)))
      expect(lost).toEqual([])
      set.close()
      space.close()
    })
  }

  it('answers as plain sets do for many sets that share one limit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(5), fc.nat(400)), { minLength: 200, maxLength: 1_500 }),
        fc.integer({ min: 500, max: 9_000 }),
        (adds, limitBytes) => {
          const space = new SeenSpace({ folder, limitBytes, salt: limitBytes })
          const sets = Array.from({ length: 6 }, () => new SeenSet(space, { partitionEntries: 64 }))
          const truths = sets.map(() => new Set<number>())
          for (const [which, n] of adds) {
            takeFingerprint(`http://h/${n}`)
            const isNew = !truths[which].has(n)
            expect(sets[which].add(fingerprint.low, fingerprint.high)).toBe(isNew)
            truths[which].add(n)
          }
          sets[0].close()
          expect(sets[0].size).toBe(0)
          for (const which of [1, 2, 3, 4, 5]) {
            const found = Array.from({ length: 401 }, (_, n) => n).filter(n => {
              takeFingerprint(`http://h/${n}`)
              return sets[which].has(fingerprint.low, fingerprint.high)
            })
            expect(found).toEqual([...truths[which]].sort((a, b) => a - b))
          }
          for (const set of sets) set.close()
          space.close()
        },
      ),
      { numRuns: 60 },
    )
  })

  it('keeps all sets together below the limit, and gives everything back on close', () => {
    const limitBytes = 2 * 1024 * 1024
    const space = new SeenSpace({ folder, limitBytes, salt: 5 })
    let peak = 0
    const fillAndClose = (): number => {
      const sets = Array.from({ length: 5 }, () => new SeenSet(space))
      for (let i = 0; i < 500_000; i++) {
        takeFingerprint(`http://example.org/${i}`)
        sets[i % 5].add(fingerprint.low, fingerprint.high)
        peak = Math.max(peak, space.usedBytes)
      }
      expect(space.entriesOnDisk).toBeGreaterThan(300_000)
      for (const set of sets) set.close()
      return space.usedBytes
    }
    // Only what is shared by all sets stays, and it does not grow with the next ones.
    const kept = fillAndClose()
    expect(kept).toBeLessThan(limitBytes / 3)
    expect(fillAndClose()).toBe(kept)
    expect(peak).toBeLessThanOrEqual(limitBytes)
    expect(space.entriesOnDisk).toBe(0)
    expect(space.file.pages).toBe(0)
    space.close()
    expect(readdirSync(folder)).toEqual([])
  })

  it('removes what a crash left behind, and starts empty', () => {
    const first = new SeenSpace({ folder, limitBytes: 2_000, salt: 1 })
    const before = new SeenSet(first)
    for (let i = 0; i < 5_000; i++) before.add(i, i)
    expect(readdirSync(folder)).toEqual(['seen.pages'])
    const second = new SeenSpace({ folder, limitBytes: 2_000, salt: 1 })
    expect(readdirSync(folder)).toEqual([])
    expect(new SeenSet(second).has(1, 1)).toBe(false)
    second.close()
  })

  it('costs next to nothing while it is empty', () => {
    const space = new SeenSpace({ folder, limitBytes: 1e6, salt: 1 })
    const before = space.usedBytes
    for (let i = 0; i < 100; i++) new SeenSet(space)
    expect(space.usedBytes).toBe(before)
    space.close()
  })
})
