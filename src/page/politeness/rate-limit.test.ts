import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { RateLimit } from './rate-limit.js'

/** Lets promises that are resolved run their followers. */
const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

function limited(pagesPerSecond: number, bytesPerSecond: number) {
  const never = new AbortController().signal
  const clock = new ManualClock()
  const rate = new RateLimit(clock)
  rate.set(pagesPerSecond, bytesPerSecond)
  const went: [name: string, atMs: number][] = []
  const go = (name: string, signal = never): void =>
    void rate.take(signal).then(() => went.push([name, clock.monotonic()]))
  /** In small steps, so that the moment each went is seen. */
  const pass = async (ms: number, stepMs = 1): Promise<void> => {
    await settle()
    for (let at = 0; at < ms; at += stepMs) {
      clock.advance(stepMs)
      await settle()
    }
  }
  return { clock, rate, never, went, go, pass }
}

describe('a rate', () => {
  test('of zero lets everybody go at once', async () => {
    const { rate, went, go, clock } = limited(0, 0)
    expect(rate.isLimited).toBe(false)
    for (const name of ['a', 'b', 'c']) go(name)
    rate.spend(1e9)
    go('d')
    await settle()
    expect(went.map(([name]) => name)).toEqual(['a', 'b', 'c', 'd'])
    expect(clock.pending).toBe(0)
  })

  test('of pages lets one go per interval, first come first served', async () => {
    const { rate, went, go, pass, clock } = limited(10, 0)
    expect(rate.isLimited).toBe(true)
    for (const name of ['a', 'b', 'c', 'd']) go(name)
    await pass(400)
    expect(went).toEqual([
      ['a', 0],
      ['b', 100],
      ['c', 200],
      ['d', 300],
    ])
    expect(clock.pending).toBe(0)
  })

  test('below one page a second works too', async () => {
    const { went, go, pass } = limited(0.1, 0)
    go('a')
    go('b')
    await pass(10_500, 100)
    expect(went).toEqual([
      ['a', 0],
      ['b', 10_000],
    ])
  })

  test('of bytes makes those who come next pay', async () => {
    const { rate, went, go, pass } = limited(0, 1_000)
    go('a')
    rate.spend(500)
    go('b')
    go('c')
    await pass(499)
    expect(went.map(([name]) => name)).toEqual(['a'])
    await pass(1)
    expect(went).toEqual([
      ['a', 0],
      ['b', 500],
      ['c', 500],
    ])
  })

  test('of bytes spent during the wait is waited for as well', async () => {
    const { rate, went, go, pass } = limited(10, 1_000)
    go('a')
    go('b')
    rate.spend(300)
    await pass(400)
    expect(went[1]).toEqual(['b', 300])
  })

  test('is kept over any stretch of time, and nobody is forgotten', async () => {
    const stepMs = 7
    const burstMs = 50
    const step = fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 300 }))
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 5, max: 50 }),
        fc.array(step, { maxLength: 8 }),
        async (pages, steps) => {
          const { went, go, pass, clock } = limited(pages, 0)
          for (const [count, waitMs] of steps) {
            for (let i = 0; i < count; i++) go('x')
            await pass(waitMs, stepMs)
          }
          await pass(9_000, 60)
          expect(went.length).toBe(steps.reduce((sum, [count]) => sum + count, 0))
          expect(clock.pending).toBe(0)
          for (let i = 0; i < went.length; i++) {
            for (let j = i + 1; j < went.length; j++) {
              const stretchMs = went[j]![1] - went[i]![1] + burstMs + 60
              expect(j - i).toBeLessThanOrEqual((stretchMs * pages) / 1000 + 1e-6)
            }
          }
        },
      ),
      { numRuns: 20 },
    )
  })

  test('is neither exceeded by bursts nor lost to late timers', async () => {
    const { rate, never, clock } = limited(1_000, 0)
    let went = 0
    for (let i = 0; i < 5_000; i++) void rate.take(never).then(() => went++)
    for (let i = 0; i < 100; i++) {
      clock.advance(10)
      await settle()
    }
    expect(went).toBeGreaterThanOrEqual(995)
    expect(went).toBeLessThanOrEqual(1_051)
  })
})

describe('a change of rate', () => {
  test('frees those who wait when the limit is lifted', async () => {
    const { rate, went, go, clock } = limited(0.001, 0)
    for (const name of ['a', 'b', 'c']) go(name)
    await settle()
    expect(went).toHaveLength(1)
    rate.set(0, 0)
    await settle()
    expect(went.map(([name]) => name)).toEqual(['a', 'b', 'c'])
    expect(rate.isLimited).toBe(false)
    expect(clock.pending).toBe(0)
  })

  test('shortens and lengthens waits under way', async () => {
    const { rate, went, go, pass } = limited(1, 0)
    for (const name of ['a', 'b', 'c']) go(name)
    await pass(500)
    rate.set(10, 0)
    await pass(100)
    expect(went).toEqual([
      ['a', 0],
      ['b', 550],
    ])
    rate.set(1, 0)
    await pass(1_000)
    expect(went[2]).toEqual(['c', 1_100])
  })
})

describe('a wait that is aborted', () => {
  test('ends at once and takes no turn from those behind it', async () => {
    const { went, go, pass, clock } = limited(10, 0)
    const leaving = new AbortController()
    go('a')
    go('b', leaving.signal)
    go('c')
    await pass(50)
    leaving.abort()
    await pass(60)
    expect(went).toEqual([
      ['a', 0],
      ['b', 50],
      ['c', 100],
    ])
    expect(clock.pending).toBe(0)
  })

  test('leaves no timer behind when it was the last, and none begins after the abort', async () => {
    const { went, go, pass, clock } = limited(1, 0)
    const leaving = new AbortController()
    go('a')
    go('b', leaving.signal)
    leaving.abort()
    await settle()
    expect(clock.pending).toBe(0)
    go('late', leaving.signal)
    go('c')
    await pass(1_000)
    expect(went.at(-1)).toEqual(['c', 1_000])
  })
})
