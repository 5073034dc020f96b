/**
 * `orbweaver experiment phases`: the figures of the KSpider paper. Spreads millions of URLs over 2 to 10
 * nodes, and crawls a generated web with four nodes; the log of its server shows whether two of them were at
 * one host at once.
 */
import { SeededRandom } from '../../src/model/index.js'
import {
  type Effort,
  type Findings,
  mean,
  meanRow,
  type PaperExperiment,
  percent,
  type RunOptions,
  type Table,
  tableOf,
} from '../frame/index.js'
import { type BalanceRow, balanceOf } from './balance.js'
import type { Exclusion } from './exclusion.js'

export const PHASE_NODES = 4

export interface PhaseCrawlChoices {
  readonly seed: number
  readonly sites: number
  readonly pages: number
  readonly periodMs: number
  readonly guardMs: number
  /** The error of the phase clocks: every second node is ahead, the others are behind. */
  readonly skewMs: number
}

export interface PhaseCrawl extends Exclusion {
  readonly skewMs: number
  readonly pages: number
  /** The share of the existing pages. */
  readonly coverage: number
  /** Numbers of URLs by outcome. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly seconds: number
  readonly pagesPerSecond: number
  readonly megabytesPerSecond: number
  readonly messages: number
  /** The excess of the fullest node over the mean, in per cent. */
  readonly imbalance: number
}

/** Port: a crawl with real sockets and disks. */
export type CrawlInPhases = (choices: PhaseCrawlChoices) => Promise<PhaseCrawl>

/** The paper's results with four machines; its figures 9 and 10 have no numbers. */
const PAPER = {
  machines: 4,
  urlsPerSecond: 618,
  megabytesPerSecond: 6,
  urls: 6_000_000,
  nodes: 'even for 2 to 10 nodes (figure 9)',
  phases: 'less even: some servers have much more URLs than others (figure 10)',
}

interface Size {
  readonly urls: number
  readonly sites: number
  readonly pages: number
  readonly periodMs: number
}

const SIZES: Readonly<Record<Effort, Size>> = {
  quick: { urls: 600_000, sites: 40, pages: 1_000, periodMs: 1_000 },
  default: { urls: 6_000_000, sites: 300, pages: 20_000, periodMs: 2_000 },
  full: { urls: 6_000_000, sites: 300, pages: 20_000, periodMs: 2_000 },
}
const GUARD_MS = 100
/** The error of the clocks, as a share of the guard: the rest is for late timers. */
const SKEW_PERCENT = 99
const FULL_SEEDS = 8

export function phasesExperiment(crawl: CrawlInPhases): PaperExperiment {
  return {
    name: 'phases',
    about:
      'balance of nodes and phases; speed of crawls in phases; whether two nodes request one host at once',
    help: HELP,
    run: options => run(crawl, options),
  }
}

const HELP = `Balance: distributes 6 million URLs of a generated national web (hosts by a power law) over 2 to 10 nodes. The sum of a URL's
characters gives its node and that of its host the phase, as in KSpider. For comparison, nodes are also assigned by a hash of the
site, and by a k-way unshuffle of the URLs sorted by reversed host name. The figure is the excess of the largest share over the mean.

Crawl: ${PHASE_NODES} nodes crawl a generated web over loopback with --assign phases, once with exact clocks and once with phase clocks that
are wrong by ${SKEW_PERCENT} % of the guard, half of them ahead and half behind. The log of the server shows whether two nodes ever
requested a host at once. Results: docs/explanation/experiments/phases.md`

async function run(crawl: CrawlInPhases, { effort, seed, tell }: RunOptions): Promise<Findings> {
  const size = SIZES[effort]
  const seeds = Array.from({ length: effort === 'full' ? FULL_SEEDS : 1 }, (_, i) => seed + i)
  const balances: BalanceRow[][] = []
  const crawls: PhaseCrawl[] = []
  for (const each of seeds) {
    tell(`seed ${each}: ${size.urls} URLs on 2 to 10 nodes`)
    balances.push(balanceOf(size.urls, new SeededRandom(each)))
    for (const skewMs of [0, (SKEW_PERCENT / 100) * GUARD_MS]) {
      tell(`seed ${each}: a crawl of ${size.pages} pages, clocks wrong by ${skewMs} ms`)
      const { sites, pages, periodMs } = size
      crawls.push(await crawl({ seed: each, sites, pages, periodMs, guardMs: GUARD_MS, skewMs }))
    }
  }
  return findings(balances, crawls)
}

function findings(balances: readonly (readonly BalanceRow[])[], crawls: readonly PhaseCrawl[]): Findings {
  const rows = balances[0]!.map((_, i) => meanRow(balances.map(balance => balance[i]!)))
  const over = (of: (row: BalanceRow) => number) => mean(rows.map(of))
  const exact = crawls.filter(({ skewMs }) => skewMs === 0)
  const together = crawls.reduce((sum, each) => sum + each.together, 0)
  const averages = {
    urlHash: over(row => row.urlHash),
    phases: over(row => row.phases),
    siteHash: over(row => row.siteHash),
    unshuffle: over(row => row.unshuffle),
    pagesPerSecond: mean(exact.map(each => each.pagesPerSecond)),
    megabytesPerSecond: mean(exact.map(each => each.megabytesPerSecond)),
    twoNodesAtOnce: together,
  }
  return {
    rows: [...rows, ...crawls],
    averages,
    paper: PAPER,
    tables: [balanceTable(rows), crawlTable(crawls)],
    notes: [
      ...(together === 0 ? ['No host was ever asked by two nodes at once, by the log of the server.'] : []),
      'By URL alone nearly every host is requested by several nodes, hence the phases. An unshuffle has no clock against it.',
    ],
    missed: missedBy(crawls),
    chart: chartOf(rows),
  }
}

function missedBy(crawls: readonly PhaseCrawl[]): string[] {
  return crawls.flatMap(({ skewMs, together, coverage, outcomes }) => [
    ...(together === 0
      ? []
      : [`clocks wrong by ${skewMs} ms: ${together} requests met another node at their host`]),
    ...(coverage === 1
      ? []
      : [
          `clocks wrong by ${skewMs} ms: ${(100 * coverage).toFixed(2)} % of the pages, not all (${inWords(outcomes)})`,
        ]),
  ])
}

function inWords(outcomes: PhaseCrawl['outcomes']): string {
  return Object.entries(outcomes)
    .map(([code, count]) => `${count} ${code}`)
    .join(', ')
}

function balanceTable(rows: readonly BalanceRow[]): Table {
  return tableOf(
    'Excess of the fullest of N over the mean (the paper: nodes "even", phases "less even")',
    rows,
    [
      ['N', row => String(row.nodes)],
      ['nodes by URL', row => percent(row.urlHash)],
      ['phases by host', row => percent(row.phases)],
      ['nodes by site', row => percent(row.siteHash)],
      ['unshuffled', row => percent(row.unshuffle)],
      ['hosts of several nodes, by URL', row => `${(row.sharedByUrl * 100).toFixed(1)} %`],
      ['unshuffled', row => `${(row.sharedByUnshuffle * 100).toFixed(1)} %`],
    ],
  )
}

function crawlTable(crawls: readonly PhaseCrawl[]): Table {
  const table = tableOf(`Real crawls by ${PHASE_NODES} nodes over loopback`, crawls, [
    ['clocks', ({ skewMs }) => (skewMs === 0 ? 'exact' : `wrong by ${skewMs} ms`)],
    ['pages', ({ pages }) => String(pages)],
    ['coverage', ({ coverage }) => coverage.toFixed(4)],
    ['pages/s', ({ pagesPerSecond }) => pagesPerSecond.toFixed(0)],
    ['MB/s', ({ megabytesPerSecond }) => megabytesPerSecond.toFixed(1)],
    ['fullest node', ({ imbalance }) => `+${imbalance.toFixed(1)} %`],
    ['hand-overs', ({ handOvers }) => String(handOvers)],
    ['two nodes at once', ({ together }) => String(together)],
    ['least gap', ({ leastGapMs }) => (leastGapMs === null ? '-' : `${leastGapMs.toFixed(0)} ms`)],
  ])
  const paper = [
    'the paper',
    '',
    '',
    String(PAPER.urlsPerSecond),
    String(PAPER.megabytesPerSecond),
    '',
    '',
    '',
    '',
  ]
  return { ...table, rows: [...table.rows, paper] }
}

function chartOf(rows: readonly BalanceRow[]): Findings['chart'] {
  const series = (name: string, of: (row: BalanceRow) => number) => ({
    name,
    points: rows.map(row => [row.nodes, of(row)] as const),
  })
  const panel = (title: string, ...all: ReturnType<typeof series>[]) => ({
    title,
    xLabel: 'nodes, phases',
    yLabel: '% above the mean',
    series: all,
  })
  return {
    title: 'URLs on nodes and phases',
    panels: [
      panel(
        'The fullest node',
        series('by URL', row => row.urlHash),
        series('unshuffled', row => row.unshuffle),
      ),
      panel(
        'The fullest phase, and the fullest node by site',
        series('phases by host', row => row.phases),
        series('nodes by site', row => row.siteHash),
      ),
    ],
  }
}
