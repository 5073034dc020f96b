import { describe, expect, it } from 'vitest'
import { LaneCount } from './site-crawl.js'

describe('lane numbers', () => {
  it('are the lowest that are free, and come back', () => {
    const lanes = new LaneCount()
    expect([lanes.take(0), lanes.take(0), lanes.take(0)]).toEqual([1, 2, 3])
    lanes.giveBack(2)
    expect(lanes.take(0)).toBe(2)
    expect(lanes.busy).toBe(3)
  })

  it('are the ones asked for unless another site has them', () => {
    const lanes = new LaneCount()
    expect(lanes.take(3)).toBe(3)
    expect(lanes.take(3)).toBe(1)
    expect(lanes.take(0)).toBe(2)
    expect(lanes.take(0)).toBe(4)
  })
})
