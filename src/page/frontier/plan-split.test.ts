import { describe, expect, it } from 'vitest'
import { holds } from '../../model/cell-map.js'
import { SeededRandom } from '../../model/index.js'
import { planSplit } from './plan-split.js'

const WHOLE = { from: '', to: '' }
const at = (path: string) => `http://a.test${path}`
const all = (paths: readonly string[]) => () => paths.map(at)

describe('a split', () => {
  it.each([
    ['sections of different sizes', (i: number) => `/${'abcd'[Math.floor(Math.sqrt(i % 16))]}/${i}`],
    ['everything under one prefix', (i: number) => `/wiki/${i}`],
    ['queries of one page', (i: number) => `/index.php?page=${i}`],
  ])('of %s has pieces of about the same size, and each URL in one', async (_name, pathOf) => {
    const paths = Array.from({ length: 20_000 }, (_, i) => pathOf(i))
    const pieces = (await planSplit(all(paths), WHOLE, 4))!
    expect(pieces).toHaveLength(4)
    for (const { queued } of pieces) expect(queued / 5_000).toBeCloseTo(1, 1)
    for (const path of paths.slice(0, 500)) expect(pieces.filter(piece => holds(piece, path))).toHaveLength(1)
    for (const piece of pieces) expect(paths.filter(path => holds(piece, path))).toHaveLength(piece.queued)
  })

  it('of a piece stays inside it', async () => {
    const paths = Array.from({ length: 300 }, (_, i) => `/m/${i}`)
    const pieces = (await planSplit(all(paths), { from: '/m', to: '/n' }, 3))!
    expect([pieces[0].from, pieces[2].to]).toEqual(['/m', '/n'])
    expect(pieces.map(({ to }) => to).slice(0, 2)).toEqual(pieces.map(({ from }) => from).slice(1))
  })

  it('is not made where all paths are one, or none, or too long to be told apart', async () => {
    expect(await planSplit(all([]), WHOLE, 4)).toBeNull()
    expect(await planSplit(all(['/a', '/a', '/a', '/a']), WHOLE, 2)).toBeNull()
    const long = 'x'.repeat(300)
    expect(await planSplit(all([`/${long}1`, `/${long}2`]), WHOLE, 2)).toBeNull()
  })

  it('is the same for the same queue', async () => {
    const random = new SeededRandom(5)
    const paths = Array.from({ length: 30_000 }, () => `/${Math.floor(random.next() * 1e9).toString(36)}`)
    expect(await planSplit(all(paths), WHOLE, 7)).toEqual(await planSplit(all(paths), WHOLE, 7))
  })
})
