import { describe, expect, it } from 'vitest'
import { axisOf, tickText } from './axis.js'
import { type Chart, chartSvg, type Panel, type Series } from './chart.js'
import { type Table, tableLines } from './table.js'

describe('a table', () => {
  it('is Markdown with even columns, figures to the right', () => {
    const table: Table = { title: 'T', head: ['set', 'hash'], rows: [['google', '24,000'], ['b']] }
    expect(tableLines(table)).toEqual([
      '### T',
      '',
      '| set    |   hash |',
      '| ------ | -----: |',
      '| google | 24,000 |',
      '| b      |        |',
    ])
  })
})

describe('an axis', () => {
  it('has round ticks that hold all values', () => {
    const { ticks, at } = axisOf([0, 83], 'linear', 100, 200)
    expect(ticks).toEqual([0, 20, 40, 60, 80, 100])
    expect([at(0), at(50), at(100)]).toEqual([100, 150, 200])
  })

  it('by logarithm shows a few values as they are, and many as powers of ten', () => {
    expect(axisOf([4, 8, 16, 32, 64], 'log', 0, 4).ticks).toEqual([4, 8, 16, 32, 64])
    expect(axisOf([4, 8, 16, 32, 64], 'log', 0, 4).at(16)).toBeCloseTo(2)
    expect(axisOf([1.5, 800, 70_000], 'log', 0, 1).ticks).toEqual([1, 10, 100, 1_000, 10_000, 100_000])
  })

  it('has a place for nothing and for one value', () => {
    expect(Number.isFinite(axisOf([], 'linear', 0, 1).at(0))).toBe(true)
    expect(Number.isFinite(axisOf([5], 'linear', 0, 1).at(5))).toBe(true)
    expect(axisOf([5], 'log', 0, 1).at(5)).toBe(0)
  })

  it('writes large numbers short', () => {
    expect([0, 2.5, 9_000, 12_000, 1.5e6].map(tickText)).toEqual(['0', '2.5', '9000', '12k', '1.5M'])
  })
})

describe('a chart', () => {
  const series: readonly Series[] = [
    {
      name: 'ours',
      points: [
        [1, 10],
        [2, 20],
      ],
    },
    {
      name: 'ours <paper>',
      like: 'ours',
      points: [
        [1, 30],
        [2, 0],
      ],
    },
  ]
  const panel: Panel = { title: 'P & Q', xLabel: 'K', yLabel: 'messages', yScale: 'log', series }
  const three: Chart = { title: 'C', panels: [panel, panel, panel] }

  it('draws every series, the paper’s dashed in the same colour, each once in the legend', () => {
    const svg = chartSvg(three)
    expect(svg.match(/stroke="#d55e00" d="M\d+ [\d.]+h24"/g)).toHaveLength(2)
    expect(svg.match(/class="s d"/g)).toHaveLength(1 + 3)
    expect(svg).toContain('prefers-color-scheme:dark')
  })

  it('is well-formed whatever is in a name, and leaves out what has no logarithm', () => {
    const svg = chartSvg({ title: 'C', panels: [panel] })
    expect(svg).toContain('P &amp; Q')
    expect(svg).toContain('ours &lt;paper&gt;')
    expect(svg).not.toMatch(/NaN|Infinity/)
  })
})
