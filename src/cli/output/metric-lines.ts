/**
 * The figures of `status --metrics`, with a few words each: docs/reference/metrics.md says how they are
 * counted.
 */
import { number, plural } from '../../model/index.js'
import type { LiveMetrics } from '../../report/index.js'

/** The most lanes that are listed for each agent. */
const SHOWN_LANES = 12

export function metricLines(metrics: LiveMetrics): string[] {
  const { coverageIsEstimate, quality, work } = metrics
  const of = coverageIsEstimate
    ? 'share of the URLs known so far, an estimate'
    : 'share of the pages in --truth'
  const figures: readonly (readonly [string, number | null, string])[] = [
    ['overlap', metrics.overlap, 'stored copies beyond the first, per page'],
    ['overlapFetches', metrics.overlapFetches, 'requests beyond the first for a URL, per page'],
    ['coverage', metrics.coverage, of],
    [
      'quality',
      quality,
      quality === null ? 'needs --truth with ranks' : 'share of the N best pages that are stored',
    ],
    ['communication', metrics.communication, 'links between agents, per page'],
    ['messages', metrics.messages, 'pairs of a page and an agent that it sent links to'],
    ['coalescedMessages', metrics.coalescedMessages, 'pairs of a site and an agent that it sent links to'],
    ['workloadStdev', metrics.workloadStdev, "standard deviation of the lanes' shares of the fetch time"],
  ]
  return [
    ...figures.map(
      ([name, value, meaning]) =>
        `  ${name.padEnd(18)}${(value === null ? '-' : number(value)).padStart(8)}  ${meaning}`,
    ),
    ...work.map(workLine),
  ]
}

function workLine({ name, pages, workload, lanes }: LiveMetrics['work'][number]): string {
  const shown = lanes.slice(0, SHOWN_LANES).map(lane => `lane ${lane.lane} ${lane.workload}`)
  const rest = lanes.length > shown.length ? [`and ${lanes.length - shown.length} more lanes`] : []
  const parts = [plural(pages, 'page'), ...shown, ...rest]
  return `  ${name.padEnd(18)}${String(workload).padStart(8)}  of all fetch time; ${parts.join(', ')}`
}
