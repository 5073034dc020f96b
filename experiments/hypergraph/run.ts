/**
 * The experiment of the hypergraph paper: four site graphs, K = 4 … 64, by hash, by our partitioner, by
 * gpmetis.
 */
import type { PresetName } from '../../src/plan/partition/state/index.js'
import { type Effort, mean } from '../frame/index.js'
import { DATA_SETS, type DataSet, PART_COUNTS } from './data-sets.js'
import { type Cell, EPSILON, hashParts, isBalanced, judged, ours, siteHashes } from './measure.js'
import { type SiteGraph, siteGraph } from './site-graph.js'
import { splitGraph } from './split-graph.js'
import { type GraphPartitioner, starGraph, type WeightedGraph } from './star-graph.js'

export type MethodName = 'hash' | 'ours' | 'ours, page nets' | 'ours, giants split' | 'gpmetis'

export interface Row {
  readonly set: string
  readonly k: number
  readonly method: MethodName
  /** In bytes and in pages; the worst of all seeds. */
  readonly imbalancePercent: readonly number[]
  /** A lower bound for any partition. */
  readonly boundPercent: readonly number[]
  readonly withinBounds: boolean
  /** Means over the seeds. */
  readonly pageMessages: number
  readonly coalescedMessages: number
  /** The messages by hash divided by these. */
  readonly timesFewer: number
  /** For `ours, giants split`: the numbers of split sites and of the cells that replace them. */
  readonly splitSites?: number
  readonly cells?: number
}

export interface Plan {
  readonly sets: readonly DataSet[]
  readonly parts: readonly number[]
  readonly seeds: number
  readonly preset: PresetName
}

const FULL_SEEDS = 8

export const PLANS: Readonly<Record<Effort, Plan>> = {
  quick: {
    sets: DATA_SETS.filter(({ name }) => name === 'google' || name === 'in-2004'),
    parts: [4, 16],
    seeds: 1,
    preset: 'default',
  },
  default: { sets: DATA_SETS, parts: PART_COUNTS, seeds: 1, preset: 'default' },
  full: { sets: DATA_SETS, parts: PART_COUNTS, seeds: FULL_SEEDS, preset: 'default' },
}

interface Rival {
  readonly partitioner: GraphPartitioner
  readonly graphs: readonly WeightedGraph[]
}

export function measureSet(
  set: DataSet,
  { parts, seeds, preset }: Omit<Plan, 'sets'>,
  firstSeed: number,
  rival: GraphPartitioner | null,
  tell: (text: string) => void,
): Row[] {
  const graph = siteGraph(set)
  const hashes = siteHashes(set.sites)
  const against = rival && { partitioner: rival, graphs: [starGraph(graph.bySite), starGraph(graph.byPage)] }
  return parts.flatMap(k => {
    const hash = judged(graph, k, hashParts(hashes, k))
    const runs = Array.from({ length: seeds }, (_, i) => firstSeed + i)
    const bySite = runs.map(seed => ours(graph, 'bySite', k, preset, seed))
    const byPage = runs.map(seed => ours(graph, 'byPage', k, preset, seed))
    const theirs = against === null ? [] : runs.map(seed => bestOf(against, graph, k, seed))
    tell(`${set.name}, K = ${k}: ${hash.coalescedMessages} by hash, ${bySite[0].coalescedMessages} by ours`)
    const bound = bySite[0].bound
    const row = (method: MethodName, cells: readonly Cell[]) => rowOf(set.name, k, method, cells, hash, bound)
    return [
      row('hash', [hash]),
      row('ours', bySite),
      row('ours, page nets', byPage),
      ...splitRows(set.name, graph, k, preset, runs, hash),
      ...(theirs.length === 0 ? [] : [row('gpmetis', theirs)]),
    ]
  })
}

/** If a site is heavier than a part: figures with such sites split by path (`--split-sites`). */
function splitRows(
  set: string,
  graph: SiteGraph,
  k: number,
  preset: PresetName,
  seeds: readonly number[],
  hash: Cell,
): Row[] {
  const split = splitGraph(graph, k)
  if (split === null) return []
  const cells = seeds.map(seed => ours(split, 'bySite', k, preset, seed))
  const row = rowOf(set, k, 'ours, giants split', cells, hash, cells[0].bound)
  return [{ ...row, splitSites: split.splitSites, cells: split.cells }]
}

/** The better of two results: with links weighted by pages, and with each link counted once. */
function bestOf({ partitioner, graphs }: Rival, graph: SiteGraph, k: number, seed: number): Cell {
  const cells = graphs.map(each => judged(graph, k, partitioner.partition(each, k, EPSILON, seed)))
  return cells.reduce((best, cell) => (cell.coalescedMessages < best.coalescedMessages ? cell : best))
}

function rowOf(
  set: string,
  k: number,
  method: MethodName,
  cells: readonly Cell[],
  hash: Cell,
  bound: readonly number[],
): Row {
  const coalescedMessages = mean(cells.map(cell => cell.coalescedMessages))
  return {
    set,
    k,
    method,
    imbalancePercent: bound.map((_, r) => 100 * Math.max(...cells.map(({ imbalance }) => imbalance[r]))),
    boundPercent: bound.map(value => 100 * value),
    withinBounds: cells.every(cell => isBalanced({ ...cell, bound })),
    pageMessages: mean(cells.map(cell => cell.pageMessages)),
    coalescedMessages,
    timesFewer: hash.coalescedMessages / coalescedMessages,
  }
}
