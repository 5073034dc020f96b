/** Line charts as SVG text: several panels with one legend, readable on light and dark pages. */
import { type Axis, axisOf, tickText } from './axis.js'

export interface Series {
  readonly name: string
  readonly points: readonly (readonly [x: number, y: number])[]
  /** The name of a series whose colour this one gets, dashed: for the paper's figures beside ours. */
  readonly like?: string
}

export interface Panel {
  readonly title: string
  readonly xLabel: string
  readonly yLabel: string
  /** Linear if absent. */
  readonly xScale?: 'linear' | 'log'
  readonly yScale?: 'linear' | 'log'
  readonly series: readonly Series[]
}

export interface Chart {
  readonly title: string
  readonly panels: readonly Panel[]
}

const PANEL = { width: 400, height: 270, left: 58, right: 14, top: 34, bottom: 44 }
const COLUMNS = 2
const HEAD = 44
const LEGEND_LINE = 20
const LEGEND_COLUMN = 190
/** Distinguishable also with colour blindness, and visible on white and on black. */
const COLOURS = ['#d55e00', '#0a84c6', '#0a9b72', '#b8860b', '#c25b9f', '#7a6fd0', '#8a8a8a', '#a0522d']

const STYLE = `text{font:12px system-ui,sans-serif;fill:#1f2328}.t{font-size:13px;font-weight:600}.h{font-size:16px;font-weight:600}
.g{stroke:#8888;stroke-width:.5}.a{stroke:#888}.s{fill:none;stroke-width:2}.d{stroke-dasharray:5 4;stroke-width:1.5}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}}`

export function chartSvg({ title, panels }: Chart): string {
  const colours = coloursOf(panels)
  const names = [...colours]
  const perLine = Math.floor((COLUMNS * PANEL.width) / LEGEND_COLUMN)
  const top = HEAD + Math.ceil(names.length / perLine) * LEGEND_LINE
  const columns = Math.min(COLUMNS, panels.length)
  const width = COLUMNS * PANEL.width
  const height = top + Math.ceil(panels.length / columns) * PANEL.height
  const legend = names.map(([name, { colour, isDashed }], at) => {
    const x = 20 + (at % perLine) * LEGEND_COLUMN
    const y = HEAD + Math.floor(at / perLine) * LEGEND_LINE
    const line = `<path class="s${isDashed ? ' d' : ''}" stroke="${colour}" d="M${x} ${y - 4}h24"/>`
    return `${line}<text x="${x + 30}" y="${y}">${escaped(name)}</text>`
  })
  const drawn = panels.map((panel, at) => {
    const place = `translate(${(at % columns) * PANEL.width},${top + Math.floor(at / columns) * PANEL.height})`
    return `<g transform="${place}">${panelSvg(panel, colours)}</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title><style>${STYLE}</style>
<text class="h" x="20" y="22">${escaped(title)}</text>
${[...legend, ...drawn].join('\n')}
</svg>
`
}

type Colours = ReadonlyMap<string, { readonly colour: string; readonly isDashed: boolean }>

function coloursOf(panels: readonly Panel[]): Colours {
  const colours = new Map<string, { colour: string; isDashed: boolean }>()
  const all = panels.flatMap(({ series }) => series)
  const own = [...new Set(all.map(({ name, like }) => like ?? name))]
  for (const { name, like } of all) {
    const colour = COLOURS[own.indexOf(like ?? name) % COLOURS.length]
    colours.set(name, { colour, isDashed: like !== undefined })
  }
  return colours
}

function panelSvg(panel: Panel, colours: Colours): string {
  const points = panel.series.flatMap(series => series.points).filter(isDrawn(panel))
  const [from, to] = [PANEL.left, PANEL.width - PANEL.right]
  const [bottom, top] = [PANEL.height - PANEL.bottom, PANEL.top]
  const x = axisOf(
    points.map(point => point[0]),
    panel.xScale ?? 'linear',
    from,
    to,
  )
  const y = axisOf(
    [...(panel.yScale === 'log' ? [] : [0]), ...points.map(point => point[1])],
    panel.yScale ?? 'linear',
    bottom,
    top,
  )
  const lines = panel.series.map(({ name, points }) => {
    const { colour, isDashed } = colours.get(name)!
    const kept = points.filter(isDrawn(panel))
    const path = kept.map(([px, py], at) => `${at === 0 ? 'M' : 'L'}${round(x.at(px))} ${round(y.at(py))}`)
    return `<path class="s${isDashed ? ' d' : ''}" stroke="${colour}" d="${path.join('')}"/>`
  })
  const middle = (from + to) / 2
  return [
    `<text class="t" x="${middle}" y="18" text-anchor="middle">${escaped(panel.title)}</text>`,
    ...gridOf(x, y, from, to, bottom, top),
    `<path class="a" fill="none" d="M${from} ${top}V${bottom}H${to}"/>`,
    ...lines,
    `<text x="${middle}" y="${PANEL.height - 10}" text-anchor="middle">${escaped(panel.xLabel)}</text>`,
    `<text transform="translate(14,${(top + bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(panel.yLabel)}</text>`,
  ].join('')
}

/** A logarithmic axis cannot show zero. */
function isDrawn({ xScale, yScale }: Panel): (point: readonly [number, number]) => boolean {
  return ([x, y]) =>
    Number.isFinite(x) && Number.isFinite(y) && (xScale !== 'log' || x > 0) && (yScale !== 'log' || y > 0)
}

function gridOf(x: Axis, y: Axis, from: number, to: number, bottom: number, top: number): string[] {
  const across = y.ticks.map(
    tick =>
      `<path class="g" d="M${from} ${round(y.at(tick))}H${to}"/><text x="${from - 5}" y="${round(y.at(tick) + 4)}" text-anchor="end">${tickText(tick)}</text>`,
  )
  const up = x.ticks.map(
    tick =>
      `<path class="g" d="M${round(x.at(tick))} ${bottom}V${top}"/><text x="${round(x.at(tick))}" y="${bottom + 16}" text-anchor="middle">${tickText(tick)}</text>`,
  )
  return [...across, ...up]
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
