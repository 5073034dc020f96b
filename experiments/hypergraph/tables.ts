/** Tables 1 and 2 with our figures beside the paper's. */
import type { Table } from '../frame/index.js'
import { type DataSet, PART_COUNTS } from './data-sets.js'
import type { MethodName, Row } from './run.js'
import { type SiteGraph, siteGraph } from './site-graph.js'

export function countTable(sets: readonly DataSet[]): Table {
  const rows = sets.map(set => {
    const graph = siteGraph(set)
    const counts = countsOf(graph)
    const numbers = [counts.pages, counts.sites, counts.nets, counts.pins, counts.links].map(figure)
    return [set.name, ...numbers, counts.intraPercent.toFixed(2), set.intraPercent.toFixed(2)]
  })
  const head = ['set', 'pages', 'sites', 'nets', 'pins', 'links', '% intra-site', 'paper']
  return { title: 'Table 1: counted in our graphs (all counts are those of the paper)', head, rows }
}

/** Counted, not copied. */
export function countsOf({ byPage, linksOut, linksWithin }: SiteGraph) {
  const sum = (values: Uint32Array) => values.reduce((total, value) => total + value, 0)
  const links = sum(linksOut) + sum(linksWithin)
  return {
    sites: byPage.vertexCount,
    pages: byPage.vertexWeights.reduce((total, weight, i) => total + (i % 2 === 1 ? weight : 0), 0),
    nets: byPage.netCount,
    pins: byPage.pins.length,
    links,
    intraPercent: (100 * sum(linksWithin)) / links,
  }
}

const HEAD = [
  'K',
  'hash imb. %',
  'paper',
  'hash msg.',
  'paper',
  'our imb. % (bytes / pages)',
  'bound',
  'paper',
  'our msg.',
  'gpmetis',
  'paper',
  'times fewer',
  'gpmetis',
  'paper',
  'page msg.: hash',
  'ours',
]

export function messageTable(set: DataSet, rows: readonly Row[]): Table {
  const own = rows.filter(row => row.set === set.name)
  const counts = [...new Set(own.map(row => row.k))]
  return {
    title: `Table 2, ${set.name} (messages in thousands, coalesced unless said otherwise)`,
    head: HEAD,
    rows: counts.map(k => messageLine(set, k, own)),
  }
}

function messageLine({ paper }: DataSet, k: number, rows: readonly Row[]): string[] {
  const find = (method: MethodName) => rows.find(row => row.k === k && row.method === method)
  const [hash, ours, byPage, theirs] = [
    find('hash')!,
    find('ours')!,
    find('ours, page nets')!,
    find('gpmetis'),
  ]
  const at = PART_COUNTS.indexOf(k)
  return [
    `${k}`,
    hash.imbalancePercent[1].toFixed(2),
    paper.hashImbalancePercent[at].toFixed(2),
    thousands(hash.coalescedMessages),
    paper.hashThousands[at].toFixed(1),
    both(ours.imbalancePercent),
    both(ours.boundPercent),
    paper.hpImbalancePercent[at].toFixed(2),
    thousands(ours.coalescedMessages),
    theirs ? thousands(theirs.coalescedMessages) : '-',
    paper.hpThousands[at].toFixed(1),
    ours.timesFewer.toFixed(2),
    theirs ? theirs.timesFewer.toFixed(2) : '-',
    (paper.hashThousands[at] / paper.hpThousands[at]).toFixed(2),
    thousands(hash.pageMessages),
    thousands(byPage.pageMessages),
  ]
}

function both(percents: readonly number[]): string {
  return percents.map(percent => percent.toFixed(2)).join(' / ')
}

function thousands(value: number): string {
  return (value / 1_000).toFixed(1)
}

function figure(value: number): string {
  return value.toLocaleString('en')
}
