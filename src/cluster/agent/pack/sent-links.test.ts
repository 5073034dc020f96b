import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { SentLinks } from './sent-links.js'

const url = (number: number) => `http://other.org/page/${number}`

describe('links that were sent', () => {
  it('are known while they are among the last hundred and fifty thousand, and forgotten after twice as many', () => {
    const sent = new SentLinks(7)
    expect(sent.has(url(0))).toBe(false)
    for (let i = 0; i < 400_000; i++) {
      sent.add(url(i))
      if (i % 1_000 === 0) expect(sent.has(url(Math.max(0, i - 149_999))), `after ${i}`).toBe(true)
    }
    expect(sent.has(url(400_000))).toBe(false)
    expect(sent.has(url(0))).toBe(false)
    sent.clear()
    expect(sent.has(url(399_999))).toBe(false)
    sent.add(url(1))
    expect(sent.has(url(1))).toBe(true)
  })

  it('take no more memory with the fifth generation than with the second', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const held = () => {
      collect()
      return process.memoryUsage().arrayBuffers
    }
    const before = held()
    const sent = new SentLinks(7)
    let count = 0
    const fill = (generations: number) => {
      for (const end = generations * 150_000 - 1; count < end; count++) sent.add(url(count))
      // Without a collection: what was given up must be in use again, not wait for one.
      return process.memoryUsage().arrayBuffers - before
    }
    const second = fill(2)
    expect(fill(5)).toBeLessThanOrEqual(second + 1e6)
    expect(held() - before).toBeLessThan(6e6)
    expect(sent.has(url(count - 1))).toBe(true)
  })
})
