import { describe, expect, it } from 'vitest'
import { LaneCount } from './lane-count.js'

describe('lane numbers', () => {
  it('are the lowest that are free, and come back', () => {
    const lanes = new LaneCount(9)
    expect([lanes.take(0), lanes.take(0), lanes.take(0)]).toEqual([1, 2, 3])
    lanes.giveBack(2)
    expect(lanes.numbers()).toEqual([1, 3])
    expect(lanes.take(0)).toBe(2)
    expect(lanes.busy).toBe(3)
  })

  it('are kept by a site that comes back, also while another has its place', () => {
    const lanes = new LaneCount(3)
    expect(lanes.take(3)).toBe(3)
    expect(lanes.take(3)).toBe(3)
    expect(lanes.take(0)).toBe(1)
    lanes.giveBack(3)
    expect(lanes.numbers()).toEqual([1, 3])
    lanes.giveBack(3)
    expect(lanes.numbers()).toEqual([1])
    expect(lanes.busy).toBe(1)
  })

  it('are never more than there are lanes', () => {
    const lanes = new LaneCount(2)
    expect([lanes.take(0), lanes.take(0), lanes.take(0), lanes.take(0), lanes.take(0)]).toEqual([
      1, 2, 1, 2, 1,
    ])
  })
})
