/** `orbweaver experiment sire`: the figures of the SIRE paper, on a made national web. */
import type { Chart, Findings, PaperExperiment, RunOptions, Table } from '../frame/index.js'
import type { Scheme } from './methods.js'
import { ADDRESSES, HOSTS, URLS } from './national-web.js'
import { measureWeb, PLANS, type Row, type Varied, varyFactors } from './run.js'

/** S16: average reductions of IP-SIRE against host hash, in percent. */
const PAPER = { download: 18, exchange: 78, relocation: 46 } as const
type Metric = keyof typeof PAPER
const METRICS = Object.keys(PAPER) as Metric[]
const SCHEMES: readonly Scheme[] = ['IP-SIRE', 'Host-SIRE', 'hybrid', 'consistent hash', 'host hash']
const FACTORS = [0, 0.1, 0.2, 0.5, 1, 2, 5]
const FACTOR_CRAWLERS = 10
/** Within which a part is as even as was asked for. */
const EVEN_PERCENT = 1
const MINUTE = 60
const HOUR = 3_600

export const sireExperiment: PaperExperiment = {
  name: 'sire',
  about:
    'download, exchange and relocation time of 1 … 30 crawlers, by hash and by graph partition (S10-S16)',
  help: `A national web with the numbers of "Efficient partitioning strategies for distributed Web crawling" is made (${number(URLS)} URLs,
${number(HOSTS)} hosts, ${number(ADDRESSES)} addresses in 24 countries), its hosts are given to 1 … 30 crawlers by six schemes, and the paper's formulas say how
long downloading, exchanging links and moving URLs to one more crawler takes. How the web is made stands in
docs/experiments/sire.md. --quick goes up to 8 crawlers.`,
  run,
}

function run({ effort, seed, tell }: RunOptions): Findings {
  const plan = PLANS[effort]
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
    chart: chartOf(rows),
  }
}

/** The same cell of every web, averaged. */
function meanRows(webs: readonly (readonly Row[])[]): Row[] {
  return webs[0].map((first, at) => {
    const cells = webs.map(rows => rows[at])
    const entries = Object.entries(first).map(([key, value]) => {
      if (typeof value !== 'number') return [key, value]
      return [key, cells.reduce((sum, cell) => sum + (cell[key as keyof Row] as number), 0) / cells.length]
    })
    return Object.fromEntries(entries) as Row
  })
}

type Averages = Readonly<Record<string, Readonly<Record<Metric, number>>>>

/** Over 2 crawlers and more. */
function averagesOf(rows: readonly Row[]): Averages {
  const mean = (scheme: Scheme, metric: Metric) => {
    const own = rows.filter(row => row.scheme === scheme && row.crawlers > 1)
    const values = own.flatMap(row => row[`${metric}ReductionPercent`] ?? [])
    return values.reduce((sum, value) => sum + value, 0) / values.length
  }
  return Object.fromEntries(
    SCHEMES.map(scheme => [
      scheme,
      {
        download: mean(scheme, 'download'),
        exchange: mean(scheme, 'exchange'),
        relocation: mean(scheme, 'relocation'),
      },
    ]),
  )
}

function averageTable(averages: Averages): Table {
  const line = (name: string, values: Readonly<Record<Metric, number>>) => [
    name,
    ...METRICS.map(metric => values[metric].toFixed(1)),
  ]
  return {
    title: 'Average reduction against host hash, 2 crawlers and more, in %',
    head: ['scheme', ...METRICS],
    rows: [
      ...SCHEMES.filter(name => name !== 'host hash').map(name => line(name, averages[name])),
      line('IP-SIRE, paper', PAPER),
    ],
  }
}

function timeTable(rows: readonly Row[]): Table {
  const counts = [...new Set(rows.map(({ crawlers }) => crawlers))]
  const shown: readonly Scheme[] = ['host hash', 'Host-SIRE', 'IP-SIRE', 'hybrid']
  const cells = (k: number, of: (row: Row) => number | null, unit: number) =>
    shown.map(scheme => {
      const seconds = of(rows.find(row => row.crawlers === k && row.scheme === scheme)!)
      return seconds === null ? '-' : (seconds / unit).toFixed(1)
    })
  return {
    title:
      'The slowest crawler: hours of download, minutes of exchange, minutes of relocation to one crawler more',
    head: ['crawlers', ...['dl', 'ex', 're'].flatMap(what => shown.map(scheme => `${what} ${scheme}`))],
    rows: counts.map(k => [
      `${k}`,
      ...cells(k, row => row.downloadSeconds, HOUR),
      ...cells(k, row => row.exchangeSeconds, MINUTE),
      ...cells(k, row => row.relocationSeconds, MINUTE),
    ]),
  }
}

function factorTable(varied: readonly Varied[]): Table {
  return {
    title: `IP-SIRE with ${FACTOR_CRAWLERS} crawlers, the factor of the RTT graph varied (that of links is 1)`,
    head: ['p of RTT', 'exchange min', 'mean RTT ms', 'download h'],
    rows: varied.map(({ rtt, exchangeSeconds, rttMs, downloadSeconds }) => [
      `${rtt}`,
      (exchangeSeconds / MINUTE).toFixed(2),
      rttMs.toFixed(1),
      (downloadSeconds / HOUR).toFixed(2),
    ]),
  }
}

/** Every run counts here, not only the means. */
function notesOf(means: readonly Row[], all: readonly Row[]): string[] {
  const ours = all.filter(({ scheme, crawlers }) => /SIRE/.test(scheme) && crawlers > 1)
  const fits = ours.filter(({ boundPercent }) => boundPercent! <= EVEN_PERCENT)
  const worse = fits.filter(row => METRICS.some(metric => (row[`${metric}ReductionPercent`] ?? 0) < 0))
  const bounded = means.filter(
    ({ scheme, boundPercent }) => scheme === 'IP-SIRE' && boundPercent! > EVEN_PERCENT,
  )
  const central = means.find(({ crawlers }) => crawlers === 1)!
  return [
    `Where the heaviest vertex fits a part, ${worse.length} of ${fits.length} cells are worse than host hash${worse.length > 0 ? `: ${worse.map(named).join(', ')}` : ''}.`,
    bounded.length === 0
      ? 'The heaviest address fits a part for every number of crawlers.'
      : `The heaviest address does not fit a part: ${bounded.map(row => `${row.crawlers} crawlers, at least ${row.boundPercent!.toFixed(1)} % over the mean`).join('; ')}.`,
    prefixNote(means),
    `Centralised (one crawler): ${(central.downloadSeconds / HOUR).toFixed(1)} h of downloading, nothing to exchange.`,
  ]
}

function prefixNote(rows: readonly Row[]): string {
  const known = rows.filter(({ prefixes, crawlers }) => prefixes !== null && crawlers > 1)
  const counts = known.map(({ crawlers, prefixes }) => `${crawlers}: ${Math.round(prefixes!)}`)
  const shown = counts.filter((_, i) => i === 0 || i === counts.length - 1 || (i + 2) % 10 === 0)
  return `Routing table of IP-SIRE, prefixes for ${number(ADDRESSES)} addresses and ${number(HOSTS)} hosts by crawlers: ${shown.join(', ')}.`
}

function named({ scheme, crawlers }: Row): string {
  return `${scheme} with ${crawlers}`
}

function chartOf(rows: readonly Row[]): Chart {
  const central = rows.find(({ crawlers }) => crawlers === 1)!
  const panel = (title: string, of: (row: Row) => number | null, withCentral: boolean) => ({
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
      ...(withCentral
        ? [
            {
              name: 'centralised',
              points: rows
                .filter(({ scheme }) => scheme === 'host hash')
                .map(({ crawlers }) => [crawlers, central.downloadSeconds / HOUR] as const),
            },
          ]
        : []),
    ],
  })
  return {
    title: 'A national web: hash and graph partition',
    panels: [
      panel('Download time', row => row.downloadSeconds, true),
      panel('Exchange time', row => row.exchangeSeconds, false),
      panel('Relocation time, one crawler more', row => row.relocationSeconds, false),
    ],
  }
}

function number(value: number): string {
  return value.toLocaleString('en')
}
