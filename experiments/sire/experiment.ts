/** `orbweaver experiment sire`: the figures of the SIRE paper, on a made national web. */
import {
  type Chart,
  type Findings,
  mean,
  meanRow,
  type PaperExperiment,
  type RunOptions,
  type Table,
  tableOf,
} from '../frame/index.js'
import type { Scheme } from './methods.js'
import { ADDRESSES, HOSTS, MOST_CRAWLERS, URLS } from './national-web.js'
import { measureWeb, PLANS, type Plan, type Row, type Varied, varyFactors } from './run.js'

/** Average reductions of IP-SIRE against host hash, in per cent (S16). */
const PAPER = { download: 18, exchange: 78, relocation: 46 } as const
type Metric = keyof typeof PAPER
const METRICS = Object.keys(PAPER) as Metric[]
const SCHEMES: readonly Scheme[] = [
  'IP-SIRE',
  'Host-SIRE',
  'hybrid',
  'consistent hash',
  'centralised',
  'host hash',
]
/** The schemes that use links. */
const OURS: readonly Scheme[] = ['IP-SIRE', 'Host-SIRE', 'hybrid']
const FACTORS = [0, 0.1, 0.2, 0.5, 1, 2, 5]
const FACTOR_CRAWLERS = 10
/** A larger lower bound means that the heaviest vertex does not fit a part. */
const EVEN_PERCENT = 1
const MINUTE = 60
const HOUR = 3_600

export const sireExperiment: PaperExperiment = {
  name: 'sire',
  about: 'download, exchange and relocation time of 1 … 30 crawlers, by hash and by graph partition',
  help: `Generates a national web with the numbers of "Efficient partitioning strategies for distributed Web crawling"
(${number(URLS)} URLs, ${number(HOSTS)} hosts, ${number(ADDRESSES)} addresses in 24 countries) and assigns its hosts to 1 … 30 crawlers by six schemes.
The paper's formulas give the times for downloading, for exchanging links, and for moving URLs to one more crawler.
docs/explanation/experiments/sire.md describes the web and the schemes. --quick goes up to 8 crawlers.`,
  run: ({ effort, seed, tell }: RunOptions) => sireFindings(PLANS[effort], seed, tell),
}

export function sireFindings(plan: Plan, seed: number, tell: RunOptions['tell']): Findings {
  const webs = Array.from({ length: plan.seeds }, (_, i) => measureWeb(seed + i, plan, tell))
  const rows = meanRows(webs)
  const averages = averagesOf(rows)
  return {
    rows,
    averages,
    paper: { scheme: 'IP-SIRE', averageReductionPercent: PAPER },
    tables: [
      averageTable(averages),
      timeTable(rows),
      factorTable(varyFactors(seed, FACTOR_CRAWLERS, FACTORS)),
    ],
    notes: notesOf(rows, webs.flat()),
    missed: missedBy(averages, webs.flat()),
    chart: chartOf(rows),
  }
}

function meanRows(webs: readonly (readonly Row[])[]): Row[] {
  return webs[0].map((_, at) => meanRow(webs.map(rows => rows[at])))
}

type Averages = Readonly<Record<string, Readonly<Record<Metric, number>>>>

/** Over 2 crawlers and more. */
function averagesOf(rows: readonly Row[]): Averages {
  const meanOf = (scheme: Scheme, metric: Metric) => {
    const own = rows.filter(row => row.scheme === scheme && row.crawlers > 1)
    return mean(own.flatMap(row => row[`${metric}ReductionPercent`] ?? []))
  }
  return Object.fromEntries(
    SCHEMES.map(scheme => {
      const [download, exchange, relocation] = METRICS.map(metric => meanOf(scheme, metric))
      return [scheme, { download, exchange, relocation }]
    }),
  )
}

function averageTable(averages: Averages): Table {
  const rows = SCHEMES.filter(name => name !== 'host hash').map(name => ({ name, ...averages[name] }))
  return tableOf(
    'Average reduction against host hash, 2 crawlers and more, in %',
    [...rows, { name: 'IP-SIRE, paper', ...PAPER }],
    [
      ['scheme', ({ name }) => name],
      ...METRICS.map(metric => [metric, (row: Averages[string]) => row[metric].toFixed(1)] as const),
    ],
  )
}

function timeTable(rows: readonly Row[]): Table {
  const counts = [...new Set(rows.map(({ crawlers }) => crawlers))]
  const shown: readonly Scheme[] = ['host hash', 'consistent hash', 'Host-SIRE', 'IP-SIRE', 'hybrid']
  const cells = (k: number, of: (row: Row) => number | null, unit: number, schemes = shown) =>
    schemes.map(scheme => {
      const seconds = of(rows.find(row => row.crawlers === k && row.scheme === scheme)!)
      return seconds === null ? '-' : (seconds / unit).toFixed(1)
    })
  return {
    title:
      'The slowest crawler: hours of download, minutes of exchange, minutes of relocation to one crawler more',
    head: [
      'crawlers',
      'dl centralised',
      ...['dl', 'ex', 're'].flatMap(what => shown.map(scheme => `${what} ${scheme}`)),
    ],
    rows: counts.map(k => [
      `${k}`,
      ...cells(k, row => row.downloadSeconds, HOUR, ['centralised', ...shown]),
      ...cells(k, row => row.exchangeSeconds, MINUTE),
      ...cells(k, row => row.relocationSeconds, MINUTE),
    ]),
  }
}

function factorTable(varied: readonly Varied[]): Table {
  const title = `IP-SIRE with ${FACTOR_CRAWLERS} crawlers, the factor of the RTT graph varied (that of links is 1)`
  return tableOf(title, varied, [
    ['p of RTT', ({ rtt }) => `${rtt}`],
    ['exchange min', ({ exchangeSeconds }) => (exchangeSeconds / MINUTE).toFixed(2)],
    ['mean RTT ms', ({ rttMs }) => rttMs.toFixed(1)],
    ['download h', ({ downloadSeconds }) => (downloadSeconds / HOUR).toFixed(2)],
  ])
}

function notesOf(means: readonly Row[], all: readonly Row[]): string[] {
  const fits = all.filter(fitsParts)
  const worse = fits.filter(isWorse)
  const bounded = means.filter(
    ({ scheme, boundPercent }) => scheme === 'IP-SIRE' && boundPercent! > EVEN_PERCENT,
  )
  return [
    `Where the heaviest vertex fits a part, ${worse.length} of ${fits.length} cells of ${OURS.join(', ')} are worse than host hash.`,
    bounded.length === 0
      ? 'The heaviest address fits a part for every number of crawlers.'
      : `The heaviest address does not fit a part: ${bounded.map(row => `${row.crawlers} crawlers, at least ${row.boundPercent!.toFixed(1)} % over the mean`).join('; ')}.`,
    prefixNote(means),
  ]
}

/** Whether the scheme uses links and no vertex is too heavy for a part. */
function fitsParts({ scheme, crawlers, boundPercent }: Row): boolean {
  return OURS.includes(scheme) && crawlers > 1 && boundPercent! <= EVEN_PERCENT
}

function isWorse(row: Row): boolean {
  return METRICS.some(metric => (row[`${metric}ReductionPercent`] ?? 0) < 0)
}

function missedBy(averages: Averages, all: readonly Row[]): string[] {
  const [scheme] = OURS
  // Only then our averages can be compared with those of the paper.
  const isWhole = all.some(({ crawlers }) => crawlers === MOST_CRAWLERS)
  const low = METRICS.filter(metric => isWhole && averages[scheme][metric] < PAPER[metric])
  return [
    ...low.map(
      metric =>
        `${scheme}: ${averages[scheme][metric].toFixed(1)} % less ${metric} time, not ${PAPER[metric]} %`,
    ),
    ...all
      .filter(row => fitsParts(row) && isWorse(row))
      .map(({ scheme, crawlers }) => `${scheme} with ${crawlers} crawlers is worse than host hash`),
  ]
}

function prefixNote(rows: readonly Row[]): string {
  const known = rows.filter(({ prefixes, crawlers }) => prefixes !== null && crawlers > 1)
  const counts = known.map(({ crawlers, prefixes }) => `${crawlers}: ${Math.round(prefixes!)}`)
  const shown = counts.filter((_, i) => i === 0 || i === counts.length - 1 || (i + 2) % 10 === 0)
  return `Routing table of IP-SIRE, prefixes for ${number(ADDRESSES)} addresses and ${number(HOSTS)} hosts by crawlers: ${shown.join(', ')}.`
}

function chartOf(rows: readonly Row[]): Chart {
  const panel = (title: string, of: (row: Row) => number | null) => ({
    title,
    xLabel: 'crawlers',
    yLabel: 'hours of the slowest crawler',
    yScale: 'log' as const,
    series: [
      ...SCHEMES.map(name => ({
        name,
        points: rows
          .filter(({ scheme }) => scheme === name)
          .map(row => [row.crawlers, (of(row) ?? 0) / HOUR] as const),
      })),
    ],
  })
  return {
    title: 'A national web: hash and graph partition',
    panels: [
      panel('Download time', row => row.downloadSeconds),
      panel('Exchange time', row => row.exchangeSeconds),
      panel('Relocation time, one crawler more', row => row.relocationSeconds),
    ],
  }
}

function number(value: number): string {
  return value.toLocaleString('en')
}
