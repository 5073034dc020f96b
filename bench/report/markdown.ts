import type { Figures } from '../measure/rounds.js'

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const isFigure = (column: number): boolean => rows.every(row => /^(\d|-$)/.test(row[column]))
  const rule = head.map((_, column) => (isFigure(column) ? '---:' : '---'))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}

const FIGURE_HEAD = [
  'crawler',
  'version',
  'pages covered',
  'coverage',
  'requests',
  'CPU s per 1,000 pages',
  'pages/s',
  'peak MB',
  'CPU, ours = 1',
]

/** One table per corpus; `ours` is the crawler the last column compares with. */
export function figureTable(figures: readonly Figures[], ours: string): string {
  const our = figures.find(figure => figure.crawler === ours && figure.covered > 0)
  const rows = figures.map(figure => [
    figure.crawler,
    figure.version,
    figure.covered.toLocaleString('en'),
    `${((100 * figure.covered) / figure.expected).toFixed(1)} %`,
    figure.requests.toLocaleString('en'),
    figure.covered === 0 ? '-' : figure.cpuSecondsPerThousand.toFixed(3),
    figure.pagesPerSecond.toFixed(0),
    (figure.peakRssBytes / 1e6).toFixed(0),
    our === undefined || figure.covered === 0
      ? '-'
      : (figure.cpuSecondsPerThousand / our.cpuSecondsPerThousand).toFixed(2),
  ])
  return markdownTable(FIGURE_HEAD, rows)
}
