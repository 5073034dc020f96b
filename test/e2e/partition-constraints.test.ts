import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { siteHypergraph, writeHypergraph } from '../kit/made-hypergraphs.js'
import { orbweaver } from '../kit/orbweaver.js'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-partition-'))
const SITES = 400
const ROUNDING = 1e-9
const at = (name: string): string => join(folder, name)
const lines = (name: string): number[] => readFileSync(name, 'utf8').trimEnd().split('\n').map(Number)
const write = (name: string, rows: readonly (number | string)[]): string => {
  writeFileSync(at(name), `${rows.join('\n')}\n`)
  return at(name)
}

const WEB = at('web.hgr')
const WEIGHTS = at('web.vw')
const web = siteHypergraph({ sites: SITES, seed: 5, pages: 4_000 })
writeHypergraph(WEB, web, WEIGHTS)

/** Runs the command, expects it to end well, and gives its JSON. */
async function made(...args: string[]) {
  const end = await orbweaver(['partition', ...args, '--json'])
  expect(end.code, end.stderr).toBe(0)
  return JSON.parse(end.stdout)
}

const FIGURES = [
  'k',
  'km1',
  'cut',
  'imbalance',
  'imbalanceBound',
  'coalescedMessages',
  'affinity',
  'moved',
  'movedWeight',
]
/** To the ninth digit: sums in another order differ in the last. */
const figuresOf = (result: Record<string, number | number[]>) =>
  FIGURES.map(name => [name, ...[result[name]].flat().map(value => value.toFixed(9))])

describe('orbweaver partition, asked for more', () => {
  it('keeps pinned vertices, groups and shares', async () => {
    const fixed = write(
      'fixed',
      Array.from({ length: SITES }, (_, v) => (v < 3 ? v : -1)),
    )
    const groups = write(
      'groups',
      Array.from({ length: SITES }, (_, v) => (v > 300 ? v % 30 : -1)),
    )
    const targets = write('targets', [2, 1, 1])
    const files = ['--fixed', fixed, '--groups', groups, '--targets', targets, '--weights', WEIGHTS]
    const result = await made(WEB, '-k', '3', ...files, '--epsilon', '0.05,0.1', '--out', at('kept'))
    // The checker refuses a partition that moves a pinned vertex or splits a group.
    const checked = await made('--check', WEB, at('kept'), '-k', '3', ...files)
    expect(figuresOf(result)).toEqual(figuresOf(checked))
    expect(checked.imbalance[0]).toBeLessThanOrEqual(0.05 + ROUNDING)
    expect(checked.imbalance[1]).toBeLessThanOrEqual(0.1 + ROUNDING)
  })

  it('puts sites where they are wished, as far as links and balance allow', async () => {
    const wished = Array.from({ length: 40 }, (_, v) => v * 10)
    // Worth more than all nets together.
    const affinity = write('wishes', ['% vertex part gain', ...wished.map(v => `${v + 1} ${v % 4} 1e6`)])
    const flags = ['-k', '4', '--weights', WEIGHTS, '--affinity', affinity]
    const result = await made(WEB, ...flags, '--preset', 'fast', '--out', at('wished'))
    expect(result.affinity).toBe(40e6)
    const parts = lines(at('wished'))
    for (const v of wished) expect(parts[v]).toBe(v % 4)
    expect(figuresOf(result)).toEqual(figuresOf(await made('--check', WEB, at('wished'), ...flags)))
    for (const imbalance of result.imbalance) expect(imbalance).toBeLessThanOrEqual(0.05 + ROUNDING)
  })

  it('moves little when a part is added, and says how much', async () => {
    await made(WEB, '-k', '4', '--weights', WEIGHTS, '--out', at('before'))
    const flags = ['--weights', WEIGHTS, '--previous', at('before')]
    const result = await made(WEB, '-k', '5', ...flags, '--migration-weight', '0.5', '--out', at('after'))
    const checked = await made('--check', WEB, at('after'), '-k', '5', ...flags)
    expect(figuresOf(result)).toEqual(figuresOf(checked))
    const pages = web.vertexWeights.filter((_, index) => index % 2 === 1).reduce((sum, w) => sum + w, 0)
    expect(checked.moved).toBeGreaterThan(0)
    expect(checked.movedWeight[1] / pages).toBeLessThan(0.35)
    for (const imbalance of checked.imbalance) expect(imbalance).toBeLessThanOrEqual(0.05 + ROUNDING)
  })

  it('weighs several edge files against each other', async () => {
    // One file joins neighbours, the other opposites: the weights decide which are kept together.
    const square = write('near.graph', ['4 2', 2, 1, 4, 3])
    const other = write('far.graph', ['4 2', 3, 4, 1, 2])
    const near = ['--objective', `${square}:10`, '--objective', `${other}:1`]
    await made(square, '-k', '2', ...near, '--out', at('near'))
    const nearParts = lines(at('near'))
    expect(nearParts[0]).toBe(nearParts[1])
    const far = ['--objective', `${square}:1`, '--objective', `${other}:10`]
    await made(square, '-k', '2', ...far, '--out', at('far'))
    const farParts = lines(at('far'))
    expect(farParts[0]).toBe(farParts[2])
  })
})
