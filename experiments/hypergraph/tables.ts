/** The tables of the hypergraph paper, with our figures beside the paper's. */
import { slashed, type Table, tableOf, thousands } from '../frame/index.js'
import { type DataSet, PART_COUNTS } from './data-sets.js'
import { EPSILON } from './measure.js'
import type { MethodName, Row } from './run.js'
import { type SiteGraph, siteGraph } from './site-graph.js'

export function countTable(sets: readonly DataSet[]): Table {
  const rows = sets.map(set => ({ set, counts: countsOf(siteGraph(set)) }))
  const figures = (['pages', 'sites', 'nets', 'pins', 'links'] as const).map(
    name => [name, ({ counts }: (typeof rows)[number]) => counts[name].toLocaleString('en')] as const,
  )
  return tableOf('Table 1: counted in our graphs (all counts are those of the paper)', rows, [
    ['set', ({ set }) => set.name],
    ...figures,
    ['% intra-site', ({ counts }) => counts.intraPercent.toFixed(2)],
    ['paper', ({ set }) => set.intraPercent.toFixed(2)],
  ])
}

/** Counts the graph, so that a test can compare it with the paper. */
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

export function messageTable(set: DataSet, rows: readonly Row[]): Table {
  const own = rows.filter(row => row.set === set.name)
  const lines = [...new Set(own.map(row => row.k))].map(k => {
    const find = (method: MethodName) => own.find(row => row.k === k && row.method === method)
    const [hash, ours, byPage] = [find('hash')!, find('ours')!, find('ours, page nets')!]
    return { k, at: PART_COUNTS.indexOf(k), hash, ours, byPage, rival: find('gpmetis') }
  })
  const { paper } = set
  return tableOf(`Table 2, ${set.name} (messages in thousands, coalesced unless stated otherwise)`, lines, [
    ['K', ({ k }) => `${k}`],
    ['hash imb. %', ({ hash }) => hash.imbalancePercent[1].toFixed(2)],
    ['paper', ({ at }) => paper.hashImbalancePercent[at].toFixed(2)],
    ['hash msg.', ({ hash }) => thousands(hash.coalescedMessages)],
    ['paper', ({ at }) => paper.hashThousands[at].toFixed(1)],
    ['our imb. % (bytes / pages)', ({ ours }) => slashed(ours.imbalancePercent)],
    ['bound', ({ ours }) => slashed(ours.boundPercent)],
    ['paper', ({ at }) => paper.hpImbalancePercent[at].toFixed(2)],
    ['our msg.', ({ ours }) => thousands(ours.coalescedMessages)],
    ['gpmetis', ({ rival }) => (rival ? thousands(rival.coalescedMessages) : '-')],
    ['paper', ({ at }) => paper.hpThousands[at].toFixed(1)],
    ['times fewer', ({ ours }) => ours.timesFewer.toFixed(2)],
    ['gpmetis', ({ rival }) => rival?.timesFewer.toFixed(2) ?? '-'],
    ['paper', ({ at }) => (paper.hashThousands[at] / paper.hpThousands[at]).toFixed(2)],
    ['page msg.: hash', ({ hash }) => thousands(hash.pageMessages)],
    ['ours', ({ byPage }) => thousands(byPage.pageMessages)],
  ])
}

/** Where sites are heavier than a part: figures with whole and with split sites. Null without such sites. */
export function splitTable(sets: readonly DataSet[], rows: readonly Row[]): Table | null {
  const lines = splitRowsOf(rows).map(split => ({
    split,
    whole: rows.find(row => row.set === split.set && row.k === split.k && row.method === 'ours')!,
    paper: sets.find(({ name }) => name === split.set)!.paper,
  }))
  if (lines.length === 0) return null
  const title =
    'Giant sites split by path (messages in thousands; links between the cells of a site are messages)'
  return tableOf(title, lines, [
    ['set', ({ split }) => split.set],
    ['K', ({ split }) => `${split.k}`],
    ['split', ({ split }) => `${split.splitSites}`],
    ['cells', ({ split }) => `${split.cells}`],
    ['imb. % whole (bytes / pages)', ({ whole }) => slashed(whole.imbalancePercent)],
    ['split', ({ split }) => slashed(split.imbalancePercent)],
    ['paper, whole', ({ split, paper }) => paper.hpImbalancePercent[PART_COUNTS.indexOf(split.k)].toFixed(2)],
    ['msg. whole', ({ whole }) => thousands(whole.coalescedMessages)],
    ['split', ({ split }) => thousands(split.coalescedMessages)],
    ['page msg. whole', ({ whole }) => thousands(whole.pageMessages)],
    ['split', ({ split }) => thousands(split.pageMessages)],
  ])
}

export function splitNotes(rows: readonly Row[]): string[] {
  const split = splitRowsOf(rows)
  if (split.length === 0) return []
  const within = split.filter(({ imbalancePercent }) => Math.max(...imbalancePercent) <= 100 * EPSILON + 1e-6)
  return [
    `Where sites are heavier than a part: with those split, ${within.length} of ${split.length} partitions have both weights within 5 %.`,
  ]
}

function splitRowsOf(rows: readonly Row[]): Row[] {
  return rows.filter(({ method }) => method === 'ours, giants split')
}
