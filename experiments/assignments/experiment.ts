/**
 * `orbweaver experiment assignments`: the same generated web, crawled for real with every assignment, side by
 * side.
 */
import { ASSIGNMENTS, type AssignmentName } from '../../src/config/index.js'
import { WebPlan } from '../../src/simulate/web/index.js'
import {
  type Chart,
  type Effort,
  type Findings,
  meanRow,
  type PaperExperiment,
  type RunOptions,
  type Table,
} from '../frame/index.js'

/** What one crawl came to. */
export interface CrawlFigures {
  readonly pages: number
  readonly seconds: number
  readonly cpuSeconds: number
  readonly messages: number
  readonly coalescedMessages: number
  readonly communication: number
  readonly workloadStdev: number
  readonly overlap: number
  readonly coverage: number
  readonly quality: number | null
  /** Share of the fetch time of each agent. */
  readonly workloads: readonly number[]
  /**
   * Of an assignment that learns: coalesced messages by its table and by hash, on the links of the crawl
   * before.
   */
  readonly promised: { readonly predicted: number; readonly byHash: number } | null
}

export interface CrawlChoices {
  readonly assign: AssignmentName
  readonly agents: number
  readonly lanes: number
}

/** Crawls of one web, one after the other. The first is by hash and is what the others learn from. */
export type CrawlWeb = (
  plan: WebPlan,
  choices: readonly CrawlChoices[],
  tell: (text: string) => void,
) => Promise<{ readonly figures: readonly CrawlFigures[]; readonly urlBytes: number }>

interface Size {
  readonly sites: number
  readonly pages: number
  readonly agents: number
  readonly lanes: number
  readonly seeds: number
}

const SIZES: Readonly<Record<Effort, Size>> = {
  quick: { sites: 40, pages: 240, agents: 4, lanes: 3, seeds: 1 },
  default: { sites: 240, pages: 5_000, agents: 4, lanes: 6, seeds: 1 },
  full: { sites: 240, pages: 5_000, agents: 4, lanes: 6, seeds: 8 },
}

/** Table 1 of the dynamic partition paper, in percent. */
const PAPER = { workloadStdev: { 'static-random': 6.19, 'static-size': 3.44, dynamic: 0.82 } } as const

/**
 * Of the reduction that its partition promises, `hypergraph` has to reach so much, its workload no less even
 * than this.
 */
const KEPT_SHARE = 0.8
const STDEV_ROOM = 0.01

export function assignmentsExperiment(crawl: CrawlWeb): PaperExperiment {
  return {
    name: 'assignments',
    about: 'crawl a generated web with every assignment: speed, messages, balance',
    help: HELP,
    run: options => run(options, crawl),
  }
}

const HELP = `Four agents crawl a generated web on this machine, first by hash and then once with every assignment, each with --previous
of the first crawl. All crawls know the same URLs. Every page has changed meanwhile, so all links are read again. The sites form
27 communities that link mostly among themselves. Exchanged bytes are the exchanged links times the mean length of a URL.

Takes about five minutes; --quick crawls a small web. Results: docs/explanation/experiments/assignments.md`

interface AssignmentRow extends Omit<CrawlFigures, 'workloads' | 'promised'> {
  readonly seed: number
  readonly assign: AssignmentName
  readonly pagesPerSecond: number
  readonly exchangedBytes: number
}

interface Round {
  readonly rows: readonly AssignmentRow[]
  readonly figures: readonly CrawlFigures[]
  readonly first: CrawlFigures
}

async function run({ effort, seed, tell }: RunOptions, crawl: CrawlWeb): Promise<Findings> {
  const size = SIZES[effort]
  const rounds: Round[] = []
  for (let at = 0; at < size.seeds; at++) rounds.push(await runOne(size, seed + at, crawl, tell))
  const rows = rounds.flatMap(round => round.rows)
  return {
    rows,
    averages: averagesOf(rows),
    paper: PAPER,
    tables: [tableOf(averagesOf(rows))],
    notes: notesOf(rounds),
    missed: missedBy(averagesOf(rows), rounds),
    chart: chartOf(rounds[0]),
  }
}

async function runOne(size: Size, seed: number, crawl: CrawlWeb, tell: RunOptions['tell']): Promise<Round> {
  const { sites, pages, agents, lanes } = size
  const plan = new WebPlan({
    sites,
    pages,
    seed,
    largestShare: 0.05,
    foreignShare: 0.04,
    communities: 27,
    topicShare: 0.97,
  })
  const choices = (['hash', ...ASSIGNMENTS] as const).map(assign => ({ assign, agents, lanes }))
  const { figures, urlBytes } = await crawl(plan, choices, tell)
  const [first, ...others] = figures
  return { rows: others.map((own, i) => rowOf(own, ASSIGNMENTS[i], seed, urlBytes)), figures: others, first }
}

function rowOf(own: CrawlFigures, assign: AssignmentName, seed: number, urlBytes: number): AssignmentRow {
  const { workloads: _, promised: __, ...figures } = own
  return {
    seed,
    assign,
    ...figures,
    pagesPerSecond: own.pages / own.seconds,
    exchangedBytes: Math.round(own.communication * own.pages * urlBytes),
  }
}

type AverageRow = Omit<AssignmentRow, 'seed'>
type Averages = Readonly<Record<string, AverageRow>>

function averagesOf(rows: readonly AssignmentRow[]): Averages {
  const averages: Record<string, AverageRow> = {}
  for (const assign of ASSIGNMENTS) {
    const own = rows.filter(row => row.assign === assign)
    if (own.length > 0) averages[assign] = meanRow(own.map(({ seed: _, ...row }) => row))
  }
  return averages
}

const HEAD = [
  'assignment',
  'pages/s',
  'CPU s',
  'messages',
  'coalesced',
  'exchanged KB',
  'L/N',
  'workload stdev',
  'paper',
  'overlap',
  'coverage',
  'quality',
]

function tableOf(averages: Averages): Table {
  const percent = (value: number) => `${(100 * value).toFixed(2)} %`
  const paper: Readonly<Record<string, number>> = PAPER.workloadStdev
  const rows = Object.values(averages).map(row => [
    row.assign,
    row.pagesPerSecond.toFixed(0),
    row.cpuSeconds.toFixed(1),
    row.messages.toFixed(0),
    row.coalescedMessages.toFixed(0),
    (row.exchangedBytes / 1_000).toFixed(1),
    row.communication.toFixed(3),
    percent(row.workloadStdev),
    paper[row.assign] === undefined ? '' : `${paper[row.assign]} %`,
    percent(row.overlap),
    percent(row.coverage),
    row.quality === null ? '' : row.quality.toFixed(3),
  ])
  return { title: 'One web, every assignment', head: HEAD, rows }
}

/**
 * Of a crawl by a table: the part of the messages by hash that it promised to save, and the part that it
 * saved.
 */
interface Kept {
  readonly row: AssignmentRow
  readonly due: number
  readonly kept: number
}

function keptIn({ rows, figures, first }: Round): Kept[] {
  return rows.flatMap((row, i) => {
    const { promised } = figures[i]
    if (promised === null) return []
    const due = 1 - promised.predicted / promised.byHash
    return [{ row, due, kept: 1 - row.coalescedMessages / first.coalescedMessages }]
  })
}

function missedBy(averages: Averages, rounds: readonly Round[]): string[] {
  const missed: string[] = []
  for (const { assign, overlap, coverage } of Object.values(averages)) {
    if (overlap > 0) missed.push(`${assign}: overlap ${percentOf(overlap)}, not 0`)
    if (coverage < 1) missed.push(`${assign}: coverage ${percentOf(coverage)}, not all`)
  }
  for (const { row, due, kept } of rounds.flatMap(keptIn))
    if (row.assign === 'hypergraph' && kept < KEPT_SHARE * due)
      missed.push(
        `seed ${row.seed}: hypergraph saved ${percentOf(kept)} of the messages, less than ${100 * KEPT_SHARE} % of the promised ${percentOf(due)}`,
      )
  const [own, dynamic] = [averages.hypergraph?.workloadStdev, averages.dynamic?.workloadStdev]
  if (own > dynamic + STDEV_ROOM)
    missed.push(
      `hypergraph: workload stdev ${percentOf(own)}, more than a point above dynamic's ${percentOf(dynamic)}`,
    )
  return missed
}

function notesOf(rounds: readonly Round[]): string[] {
  const notes = rounds.flatMap(keptIn).map(({ row, due, kept }) => {
    const share = Math.round((100 * kept) / due)
    return `seed ${row.seed}, ${row.assign}: the partition promises ${percentOf(due)} fewer coalesced messages than by hash, the crawl sent ${percentOf(kept)} fewer than the first one: ${share} % of it.`
  })
  return [
    ...notes,
    'The paper crawled 30 sites with 6 lanes; its figures stand there for the order of the methods.',
  ]
}

function percentOf(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

function chartOf({ rows, figures }: Round): Chart {
  return {
    title: 'One web, every assignment',
    panels: [
      {
        title: 'Links sent to other agents',
        xLabel: 'pages',
        yLabel: 'links',
        series: rows.map(({ assign, pages, communication }) => ({
          name: assign,
          points: [
            [0, 0],
            [pages, communication * pages],
          ],
        })),
      },
      {
        title: 'Who does the work',
        xLabel: 'agent',
        yLabel: 'share of all fetch time',
        series: rows.map(({ assign }, i) => ({
          name: assign,
          points: figures[i].workloads.map((share, agent) => [agent + 1, share] as const),
        })),
      },
    ],
  }
}
