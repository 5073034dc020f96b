/** `orbweaver experiment hypergraph`: our Tables 1 and 2 beside the paper's. */
import {
  type Chart,
  type Findings,
  mean,
  type PaperExperiment,
  type RunOptions,
  type Series,
} from '../frame/index.js'
import { type DataSet, PART_COUNTS } from './data-sets.js'
import { type MethodName, measureSet, PLANS, type Plan, type Row } from './run.js'
import type { GraphPartitioner } from './star-graph.js'
import { countTable, messageTable, splitNotes, splitTable } from './tables.js'

/** If gpmetis differs more from the paper's reduction, our graphs are too easy or too hard. */
const RIVAL_RANGE = 0.25

export function hypergraphExperiment(findRival: () => GraphPartitioner | null): PaperExperiment {
  return {
    name: 'hypergraph',
    about: 'messages and balance of sites split by hash, by our partitioner and by gpmetis',
    help: HELP,
    run: ({ effort, seed, tell }: RunOptions) => hypergraphFindings(PLANS[effort], seed, findRival(), tell),
  }
}

const HELP = `Generates four site graphs with the counts of Table 1 of "A Hypergraph Model for Reducing Link Exchanges in Parallel Web
Crawling Systems", splits each into K = 4 … 64 parts, and counts messages and imbalance (Table 2). The graphs are fitted to the
paper's results for a hash. Also runs gpmetis if it is installed (Debian package metis).

Takes about two minutes; --quick uses two graphs and two K. Results: docs/explanation/experiments/hypergraph.md`

export function hypergraphFindings(
  plan: Plan,
  seed: number,
  rival: GraphPartitioner | null,
  tell: RunOptions['tell'],
): Findings {
  const rows = plan.sets.flatMap(set => measureSet(set, plan, seed, rival, tell))
  const averages = averagesOf(rows)
  const split = splitTable(plan.sets, rows)
  return {
    rows,
    averages,
    paper: Object.fromEntries(plan.sets.map(({ name, paper }) => [name, { k: PART_COUNTS, ...paper }])),
    tables: [
      countTable(plan.sets),
      ...plan.sets.map(set => messageTable(set, rows)),
      ...(split ? [split] : []),
    ],
    notes: notesOf(plan.sets, rows, averages, rival !== null),
    missed: missedBy(plan.sets, rows, averages),
    chart: chartOf(plan.sets, rows),
  }
}

type Averages = Readonly<Record<string, Readonly<Record<string, number>>>>

/** For each set and method: messages by hash divided by its messages, the mean over K. */
function averagesOf(rows: readonly Row[]): Averages {
  const averages: Record<string, Record<string, number>> = {}
  for (const { set, method } of rows) {
    // These exist for some K only.
    if (method === 'ours, giants split') continue
    const own = rows.filter(row => row.set === set && row.method === method)
    averages[set] = { ...averages[set], [method]: mean(own.map(({ timesFewer }) => timesFewer)) }
  }
  return averages
}

function notesOf(
  sets: readonly DataSet[],
  rows: readonly Row[],
  averages: Averages,
  hasRival: boolean,
): string[] {
  const balanced = rows.filter(isOurs)
  const outside = balanced.filter(({ withinBounds }) => !withinBounds)
  const lines = sets.map(set => {
    const own = averages[set.name]
    const paper = paperMean(set, rows)
    const rival = hasRival ? `, gpmetis ${own.gpmetis.toFixed(2)}` : ''
    const figures = `${own.ours.toFixed(2)} times fewer messages than by hash on average`
    return `${set.name}: ${figures} (paper ${paper.toFixed(2)})${rival}.`
  })
  const kept = `${balanced.length - outside.length} of ${balanced.length} partitions of ours have both weights within 5 % or at the bound.`
  return [...lines, kept, ...splitNotes(rows), ...(hasRival ? [] : ['gpmetis is not installed: ours alone.'])]
}

/** The paper's mean over the measured K. */
function paperMean({ name, paper }: DataSet, rows: readonly Row[]): number {
  const counts = new Set(rows.filter(row => row.set === name).map(row => row.k))
  const known = PART_COUNTS.map((k, i) => ({ k, times: paper.hashThousands[i] / paper.hpThousands[i] }))
  return mean(known.filter(({ k }) => counts.has(k)).map(({ times }) => times))
}

/** The paper's rounded figure if all K were measured, else the mean over the measured K. */
function targetOf(set: DataSet, rows: readonly Row[]): number {
  return hasAllParts(set, rows) ? set.paper.reduction : paperMean(set, rows)
}

function hasAllParts({ name }: DataSet, rows: readonly Row[]): boolean {
  return new Set(rows.filter(row => row.set === name).map(row => row.k)).size === PART_COUNTS.length
}

function missedBy(sets: readonly DataSet[], rows: readonly Row[], averages: Averages): string[] {
  const missed: string[] = []
  for (const set of sets) {
    const { ours, gpmetis } = averages[set.name]
    const target = targetOf(set, rows)
    if (ours < target)
      missed.push(`${set.name}: ${times(ours)} fewer messages than by hash, not ${times(target)}`)
    if (gpmetis === undefined) continue
    if (ours <= gpmetis)
      missed.push(`${set.name}: ${times(ours)} fewer messages, gpmetis has ${times(gpmetis)}`)
    const paper = paperMean(set, rows)
    if (hasAllParts(set, rows) && Math.abs(gpmetis / paper - 1) > RIVAL_RANGE)
      missed.push(
        `${set.name}: gpmetis has ${times(gpmetis)} fewer messages, more than 25 % from the paper's ${times(paper)}`,
      )
  }
  for (const { set, k, method, withinBounds, imbalancePercent } of rows.filter(isOurs))
    if (!withinBounds)
      missed.push(
        `${set}, K = ${k}, ${method}: imbalance ${imbalancePercent.map(value => value.toFixed(2)).join(' / ')} %`,
      )
  return missed
}

function isOurs({ method }: Row): boolean {
  return method === 'ours' || method === 'ours, page nets'
}

function times(value: number): string {
  return `${value.toFixed(2)} times`
}

function chartOf(sets: readonly DataSet[], rows: readonly Row[]): Chart {
  const panels = sets.map(({ name, paper }) => {
    const line = (method: MethodName): Series => {
      const own = rows.filter(row => row.set === name && row.method === method)
      return { name: method, points: own.map(row => [row.k, row.coalescedMessages / 1_000]) }
    }
    const drawn = (['hash', 'ours', 'ours, page nets', 'gpmetis'] as const).map(line)
    const theirs = (label: string, like: string, values: readonly number[]): Series => ({
      name: label,
      like,
      points: values.map((value, i) => [PART_COUNTS[i], value]),
    })
    return {
      title: name,
      xLabel: 'parts (K)',
      yLabel: 'coalesced messages, thousands',
      xScale: 'log' as const,
      yScale: 'log' as const,
      series: [
        ...drawn.filter(({ points }) => points.length > 0),
        theirs('hash, paper', 'hash', paper.hashThousands),
        theirs('hypergraph, paper', 'ours', paper.hpThousands),
      ],
    }
  })
  return { title: 'Messages between crawlers: hash, hypergraph, gpmetis', panels }
}
