import { describe, expect, it } from 'vitest'
import { BufferPool } from './buffer-pool.js'

describe('buffers of bodies', () => {
  it('are used again for bodies of about the same size', () => {
    const pool = new BufferPool()
    const first = pool.take(10_000)
    expect(first.length).toBeGreaterThanOrEqual(10_000)
    pool.give(first)
    expect(pool.take(9_000)).toBe(first)
    expect(pool.take(9_000)).not.toBe(first)
  })

  it('are always large enough', () => {
    const pool = new BufferPool()
    for (const bytes of [0, 1, 4_095, 4_096, 4_097, 65_536, 524_288, 524_289, 3_000_000]) {
      const buffer = pool.take(bytes)
      expect(buffer.length).toBeGreaterThanOrEqual(bytes)
      pool.give(buffer)
    }
  })

  it('are let go when there are too many, or when they are none of ours', () => {
    const pool = new BufferPool()
    const many = Array.from({ length: 40 }, () => pool.take(500_000))
    for (const buffer of many) pool.give(buffer)
    const kept = Array.from({ length: 40 }, () => pool.take(500_000)).filter(buffer => many.includes(buffer))
    expect(kept.length).toBe(8)
    const odd = Buffer.alloc(5_000)
    pool.give(odd)
    expect(pool.take(5_000)).not.toBe(odd)
  })
})
