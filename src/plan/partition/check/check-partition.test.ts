import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkPartition } from './check-partition.js'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-check-'))
let count = 0
const file = (text: string, end = '.txt'): string => {
  const name = join(folder, `${count++}${end}`)
  writeFileSync(name, text)
  return name
}

/** By hand: net 1 touches parts 0 and 1, nets 2 and 3 one part each, net 4 all three. */
const HGR = file('% four nets\n4 6 1\n2 1 2 3\n1 3 4\n3 5 6\n1 1 6 4\n', '.hgr')
const PARTS = file('0\n0\n1\n1\n2\n2\n')

describe('the checker', () => {
  it('counts connectivity, cut and coalesced messages as one does by hand', () => {
    expect(checkPartition({ file: HGR, partFile: PARTS, k: 3 })).toEqual({
      k: 3,
      km1: 2 * 1 + 1 * 2,
      cut: 2 + 1,
      imbalance: [0],
      imbalanceBound: [0],
      // Vertex 1 tells parts 1 (nets 1 and 4) and 2 (net 4).
      coalescedMessages: 2,
      affinity: 0,
      moved: 0,
      movedWeight: [0],
      emptyParts: 0,
    })
  })

  it('takes the first vertex of a net for its source', () => {
    const reversed = file('1 3\r\n3 1 2', '.hgr')
    const forward = file('1 3\r\n1 3 2', '.hgr')
    const parts = file('0\n1\n2')
    const both = file('2 3\n1 3 2\n1 2\n', '.hgr')
    for (const name of [reversed, forward, both])
      expect(checkPartition({ file: name, partFile: parts, k: 3 }).coalescedMessages).toBe(2)
    const two = file('2 3\n1 2\n2 1\n', '.hgr')
    expect(checkPartition({ file: two, partFile: parts, k: 3 }).coalescedMessages).toBe(2)
  })

  it('weighs each constraint against the share of each part', () => {
    const weights = file('10 1\n10 1\n10 1\n10 1\n10 1\n70 1\n')
    const checked = checkPartition({ file: HGR, partFile: PARTS, k: 3, weights })
    // 80 of 120 in part 2, where 40 would be even; vertex 6 alone is 70.
    expect(checked.imbalance).toEqual([1, 0])
    expect(checked.imbalanceBound).toEqual([0.75, 0])
    const targets = file('1\n1\n4\n')
    const shared = checkPartition({ file: HGR, partFile: PARTS, k: 3, weights, targets })
    // Shares 20, 20 and 80; pages 1, 1 and 4 of 6.
    expect(shared.imbalance).toEqual([0, 1])
    expect(shared.imbalanceBound).toEqual([0, 0])
  })

  it('knows what groups and pinned vertices force', () => {
    const groups = file('5\n5\n-1\n-1\n-1\n-1\n')
    const grouped = checkPartition({ file: HGR, partFile: PARTS, k: 6, groups })
    expect(grouped.imbalanceBound).toEqual([1])
    expect(grouped.emptyParts).toBe(3)
    const fixed = file('0\n0\n1\n-1\n-1\n2\n')
    expect(checkPartition({ file: HGR, partFile: PARTS, k: 6, fixed }).imbalanceBound).toEqual([1])
  })

  it('refuses a partition that moves a pinned vertex or splits a group', () => {
    const fixed = file('0\n1\n-1\n-1\n-1\n-1\n')
    expect(() => checkPartition({ file: HGR, partFile: PARTS, k: 3, fixed })).toThrow(
      'vertex 2 is in part 0 but pinned to 1',
    )
    const groups = file('-1\n7\n7\n-1\n-1\n-1\n')
    expect(() => checkPartition({ file: HGR, partFile: PARTS, k: 3, groups })).toThrow(
      'group 7 is split between part 0 and 1',
    )
  })

  it('counts what has moved; new vertices have not', () => {
    const previous = file('0\n1\n-1\n1\n9\n2\n')
    const weights = file('1 10\n2 20\n3 30\n4 40\n5 50\n6 60\n')
    const { moved, movedWeight } = checkPartition({ file: HGR, partFile: PARTS, k: 3, previous, weights })
    expect(moved).toBe(2)
    expect(movedWeight).toEqual([2 + 5, 20 + 50])
  })

  it('adds up the affinities that are met', () => {
    const affinity = file('1 0 5\n1 1 9 % not there\n6 2 -1.5\n')
    expect(checkPartition({ file: HGR, partFile: PARTS, k: 3, affinity }).affinity).toBe(3.5)
    for (const text of ['7 0 1\n', '0 0 1\n', '1 3 1\n'])
      expect(() => checkPartition({ file: HGR, partFile: PARTS, k: 3, affinity: file(text) })).toThrow(
        'there is no vertex',
      )
  })

  it('takes a graph as nets of two, each edge once', () => {
    const graph = file('%\n4 3 011 2\n1 9 2 5\n2 9 1 5 3 7\n\t3 9 2 7 4 1\n4 9 3 1', '.graph')
    const checked = checkPartition({ file: graph, partFile: file('0\n1\n1\n0\n'), k: 2 })
    expect(checked).toMatchObject({ km1: 6, cut: 6, imbalance: [0, 0], coalescedMessages: 2 })
    const sized = file('3 1 100\n5 2\n5 1\n5\n', '.graph')
    expect(checkPartition({ file: sized, partFile: file('0\n1\n1\n'), k: 2 }).km1).toBe(1)
    const lonely = file('3 1\n2\n1\n\n', '.graph')
    expect(checkPartition({ file: lonely, partFile: file('0\n1\n1\n'), k: 2 }).km1).toBe(1)
  })

  it.each([
    ['a part too high', '0\n0\n1\n1\n2\n3\n', 'entry 6 is 3, not a whole number from 0 to 2'],
    ['a part too low', '0\n0\n1\n1\n2\n-1\n', 'entry 6 is -1'],
    ['too few parts', '0\n0\n1\n1\n2\n', 'its first line says 6 vertices, but 5 have a part'],
    ['too many parts', '0\n0\n1\n1\n2\n2\n2\n', 'its first line says 6 vertices, but 7 have a part'],
    ['a word', '0\n0\n1\n1\n2\ntwo\n', 'line 6: "two" is not a number'],
    ['two columns', '0\n0\n1\n1\n2\n2 2\n', 'line 6: 2 numbers, 1 are wanted'],
  ])('refuses %s', (_, text, complaint) => {
    expect(() => checkPartition({ file: HGR, partFile: file(text), k: 3 })).toThrow(complaint)
  })

  it('refuses a hypergraph that does not fit its first line', () => {
    expect(() => checkPartition({ file: file('3 6\n1 2\n', '.hgr'), partFile: PARTS, k: 3 })).toThrow(
      '2 lines do not fit its first line',
    )
    for (const name of [file('1 4000000000\n1\n', '.hgr'), file('4000000000 0\n', '.graph')])
      expect(() => checkPartition({ file: name, partFile: PARTS, k: 3 })).toThrow('says 4000000000 vertices')
    for (const name of [file('', '.hgr'), file('\n', '.graph')])
      expect(() => checkPartition({ file: name, partFile: PARTS, k: 3 })).toThrow('says no vertices')
    expect(() => checkPartition({ file: join(folder, 'none.hgr'), partFile: PARTS, k: 3 })).toThrow(
      'none.hgr: cannot be read',
    )
  })
})
