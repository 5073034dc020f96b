import { describe, expect, it } from 'vitest'
import { holds, rangeCell, rangeOf, SplitCells } from './cell-map.js'

const SITE = 'a.test'
const at = (path: string) => `http://${SITE}${path}`

describe('cells of split sites', () => {
  it('every URL is of exactly one cell, and its cell knows it by its name alone', () => {
    const cells = new SplitCells()
    const [left, right] = [rangeCell(SITE, { from: '', to: '/m' }), rangeCell(SITE, { from: '/m', to: '' })]
    cells.learn(SITE, [left, right])
    const inner = [rangeCell(SITE, { from: '/m', to: '/m/x' }), rangeCell(SITE, { from: '/m/x', to: '' })]
    cells.learn(right, inner)
    for (const path of ['/', '/a?b', '/lz', '/m', '/m/', '/m/x', '/m/x?1', '/~z']) {
      const cell = cells.cellOf(at(path))
      const holders = [left, ...inner].filter(other => cells.partOf(other)!(at(path)))
      expect(holders, path).toEqual([cell])
    }
    expect(cells.cellOf('https://b.test/m')).toBe('b.test')
  })

  it('a page and its marks are of one cell', () => {
    const cells = new SplitCells()
    cells.learn(SITE, [rangeCell(SITE, { from: '', to: '/a!' }), rangeCell(SITE, { from: '/a!', to: '' })])
    expect(cells.cellOf(at('/a#sitemap'))).toBe(cells.cellOf(at('/a')))
  })

  it('names say their paths; a whole site and a shard by number have none of their own', () => {
    expect(rangeOf(rangeCell(SITE, { from: '/a', to: '/b' }))).toEqual({ from: '/a', to: '/b' })
    expect(holds(rangeOf(SITE)!, '/anything')).toBe(true)
    expect(rangeOf(`${SITE}#3`)).toBeNull()
    expect(new SplitCells().partOf(SITE)).toBeNull()
  })

  it('news of cells that are no more is not news', () => {
    const cells = new SplitCells()
    const children = [rangeCell(SITE, { from: '', to: '/m' }), rangeCell(SITE, { from: '/m', to: '' })]
    cells.learn(SITE, children)
    cells.learn(SITE, children)
    expect(cells.cellOf(at('/z'))).toBe(children[1])
    expect(cells.cellOf(at('/a'))).toBe(children[0])
  })
})
