/** Where sites are heavier than a part: balance and messages with whole sites, and with such sites split. */
import type { Table } from '../frame/index.js'
import { type DataSet, PART_COUNTS } from './data-sets.js'
import { EPSILON } from './measure.js'
import type { Row } from './run.js'

const HEAD = [
  'set',
  'K',
  'split',
  'cells',
  'imb. % whole (bytes / pages)',
  'split',
  'paper, whole',
  'msg. whole',
  'split',
  'page msg. whole',
  'split',
]

/** Null where no site is. */
export function splitTable(sets: readonly DataSet[], rows: readonly Row[]): Table | null {
  const split = rows.filter(({ method }) => method === 'ours, giants split')
  if (split.length === 0) return null
  return {
    title:
      'Giant sites split by path (messages in thousands; links between the cells of a site are messages)',
    head: HEAD,
    rows: split.map(row => splitLine(sets.find(({ name }) => name === row.set)!, row, rows)),
  }
}

/** In words; empty where there is nothing to say. */
export function splitNotes(rows: readonly Row[]): string[] {
  const split = rows.filter(({ method }) => method === 'ours, giants split')
  if (split.length === 0) return []
  const within = split.filter(({ imbalancePercent }) => Math.max(...imbalancePercent) <= 100 * EPSILON + 1e-6)
  return [
    `Where sites are heavier than a part: with those split, ${within.length} of ${split.length} partitions have both weights within 5 %.`,
  ]
}

function splitLine({ paper }: DataSet, split: Row, rows: readonly Row[]): string[] {
  const whole = rows.find(row => row.set === split.set && row.k === split.k && row.method === 'ours')!
  return [
    split.set,
    `${split.k}`,
    `${split.splitSites}`,
    `${split.cells}`,
    both(whole.imbalancePercent),
    both(split.imbalancePercent),
    paper.hpImbalancePercent[PART_COUNTS.indexOf(split.k)].toFixed(2),
    thousands(whole.coalescedMessages),
    thousands(split.coalescedMessages),
    thousands(whole.pageMessages),
    thousands(split.pageMessages),
  ]
}

function both(percents: readonly number[]): string {
  return percents.map(percent => percent.toFixed(2)).join(' / ')
}

function thousands(value: number): string {
  return (value / 1_000).toFixed(1)
}
