/** `fast` beside `default`: what it saves and what it loses, run by run. */
import { geometricMean, verdict } from './figures.js'
import { average, isBalanced } from './partitioners.js'
import type { Measured, Row } from './targets.js'

const FAST_TIMES = 3

export const FAST_HEAD = [
  'set',
  'K',
  'default CPU s',
  'fast CPU s',
  'times faster',
  'its km1',
  'km1, default = 1',
]

export function fastCells(each: Measured): string[] {
  const { set, k, ours, fast } = each
  return [
    set.name,
    `${k}`,
    average(ours, run => run.cpuSeconds).toFixed(2),
    average(fast, run => run.cpuSeconds).toFixed(2),
    timesFaster(each).toFixed(1),
    Math.round(average(fast, run => run.km1)).toLocaleString('en'),
    loss(each).toFixed(3),
  ]
}

/** Met when it is met for each set and K. */
export function fastRow(plain: readonly Measured[]): Row {
  const ratios = plain.map(timesFaster)
  const least = Math.min(...ratios)
  const overall = `${geometricMean(ratios).toFixed(1)}x faster (at least ${least.toFixed(1)}x)`
  const found = `${overall}, km1 ${geometricMean(plain.map(loss)).toFixed(3)}x, over ${plain.length} sets and K`
  const isMet = least >= FAST_TIMES && plain.every(({ fast }) => fast.every(isBalanced))
  return [`fast: ${FAST_TIMES}x faster than default for each set and K`, found, verdict(isMet)]
}

function timesFaster({ ours, fast }: Measured): number {
  return average(ours, run => run.cpuSeconds) / average(fast, run => run.cpuSeconds)
}

function loss({ ours, fast }: Measured): number {
  return average(fast, run => run.km1) / average(ours, run => run.km1)
}
