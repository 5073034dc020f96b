/**
 * `experiment phases`: the figures of the KSpider paper (K5, K10-K12). Millions of URLs on 2 to 10 nodes, and
 * real crawls by four nodes of a generated web, whose server's log says whether two of them were ever at one
 * host.
 */
import { SeededRandom } from '../../src/model/index.js'
import {
  type Effort,
  type Findings,
  mean,
  meanRow,
  type PaperExperiment,
  type RunOptions,
  type Table,
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
  /** What the phase clocks of the nodes are wrong by, every second ahead, the others behind. */
  readonly skewMs: number
}

export interface PhaseCrawl extends Exclusion {
  readonly skewMs: number
  readonly pages: number
  /** Of all there are. */
  readonly coverage: number
  /** How many URLs ended how. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly seconds: number
  readonly pagesPerSecond: number
  readonly megabytesPerSecond: number
  readonly messages: number
  /** The fullest node has so much more than the mean, in per cent. */
  readonly imbalance: number
}

/** How a crawl is run comes from outside: it needs sockets and disks. */
export type CrawlInPhases = (choices: PhaseCrawlChoices) => Promise<PhaseCrawl>

/** What the paper reports: four machines, and figures 9 and 10, which have no numbers. */
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
/** Of the guard, in percent: all but what a timer may be late by. */
const SKEW_PERCENT = 99
const FULL_SEEDS = 8

export function phasesExperiment(crawl: CrawlInPhases): PaperExperiment {
  return {
    name: 'phases',
    about: 'balance and speed of --assign phases, with one node per host at a time (K5, K10-K12)',
    help: HELP,
    run: options => run(crawl, options),
  }
}

const HELP = `Balance: distributes 6 million URLs of a generated national web (hosts by a power law) over 2 to 10 nodes. The sum of a URL's
characters gives its node and that of its host the phase, as in KSpider. For comparison, nodes are also assigned by a hash of the
site, and by a k-way unshuffle of the URLs sorted by reversed host name. The figure is the excess of the largest over the mean.

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
      'By URL alone nearly every host has several nodes: that is what phases are for. An unshuffle has the same, and no clock.',
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
  return {
    title: 'The fullest of N has so much more than the mean (the paper: nodes "even", phases "less even")',
    head: [
      'N',
      'nodes by URL',
      'phases by host',
      'nodes by site',
      'unshuffled',
      'hosts of several nodes, by URL',
      'unshuffled',
    ],
    rows: rows.map(row => [
      String(row.nodes),
      ...[row.urlHash, row.phases, row.siteHash, row.unshuffle].map(value => `${value.toFixed(2)} %`),
      ...[row.sharedByUrl, row.sharedByUnshuffle].map(share => `${(share * 100).toFixed(1)} %`),
    ]),
  }
}

function crawlTable(crawls: readonly PhaseCrawl[]): Table {
  return {
    title: `Real crawls by ${PHASE_NODES} nodes over loopback`,
    head: [
      'clocks',
      'pages',
      'coverage',
      'pages/s',
      'MB/s',
      'fullest node',
      'hand-overs',
      'two nodes at once',
      'least gap',
    ],
    rows: [
      ...crawls.map(each => [
        each.skewMs === 0 ? 'exact' : `wrong by ${each.skewMs} ms`,
        String(each.pages),
        each.coverage.toFixed(4),
        each.pagesPerSecond.toFixed(0),
        each.megabytesPerSecond.toFixed(1),
        `+${each.imbalance.toFixed(1)} %`,
        String(each.handOvers),
        String(each.together),
        each.leastGapMs === null ? '-' : `${each.leastGapMs.toFixed(0)} ms`,
      ]),
      ['the paper', '', '', String(PAPER.urlsPerSecond), String(PAPER.megabytesPerSecond), '', '', '', ''],
    ],
  }
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
