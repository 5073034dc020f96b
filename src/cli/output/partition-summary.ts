/** What a person reads about a partition. */

import type { PartitionOptions } from '../../compose/index.js'
import { number, plural } from '../../model/index.js'
import type { Checked } from '../../plan/partition/check/index.js'
import type { Partition } from '../../plan/partition/state/index.js'
import { duration } from './summary.js'

interface Made {
  readonly file: string
  readonly out: string
  readonly seconds: number
}

export function partitionedText(request: PartitionOptions, result: Partition, made: Made): string {
  const { vertexCount, netCount, pins } = request.hypergraph
  const size = `${plural(vertexCount, 'vertex', 'vertices')}, ${plural(netCount, 'net')}, ${plural(pins.length, 'pin')}`
  const lines = [
    `${made.file}: ${size} in ${plural(result.k, 'part')}, ${duration(made.seconds)}`,
    ...figures(result),
    ...heavyLines(result),
  ]
  if (!result.balanced)
    lines.push('  The requested balance was not reached; this is the closest partition that was found')
  if (request.affinity !== undefined) lines.push(`  Affinity ${number(result.affinity)}`)
  if (request.previous !== undefined) lines.push(movedLine(result))
  lines.push(`Wrote ${made.out}`)
  return `${lines.join('\n')}\n`
}

export function checkedText(checked: Checked, partFile: string): string {
  const lines = [`${partFile}: ${plural(checked.k, 'part')}`, ...figures(checked)]
  if (checked.imbalanceBound.some(bound => bound > 0))
    lines.push(`  No partition goes below ${percents(checked.imbalanceBound)}`)
  if (checked.emptyParts > 0) lines.push(`  ${plural(checked.emptyParts, 'part')} empty`)
  if (checked.affinity !== 0) lines.push(`  Affinity ${number(checked.affinity)}`)
  if (checked.moved > 0) lines.push(movedLine(checked))
  return `${lines.join('\n')}\n`
}

type Figures = Pick<Partition, 'km1' | 'cut' | 'coalescedMessages' | 'imbalance'>

function figures({ km1, cut, coalescedMessages, imbalance }: Figures): string[] {
  return [
    `  ${number(km1)} connectivity - 1, ${number(cut)} cut, ${plural(coalescedMessages, 'coalesced message')}`,
    `  Heaviest part ${percents(imbalance)} above its share`,
  ]
}

function heavyLines({ heavyVertices, imbalanceBound, imbalanceWithoutHeavy }: Partition): string[] {
  if (heavyVertices.length === 0) return []
  const heavy = plural(heavyVertices.length, 'vertex outweighs a part', 'vertices outweigh a part each')
  const without = percents(imbalanceWithoutHeavy)
  return [
    `  ${heavy}: no partition goes below ${percents(imbalanceBound)}; the other parts are at ${without}`,
  ]
}

function movedLine({ moved, movedWeight }: Pick<Partition, 'moved' | 'movedWeight'>): string {
  return `  ${plural(moved, 'vertex', 'vertices')} moved, weight ${movedWeight.map(number).join(', ')}`
}

/** One per constraint. */
function percents(shares: readonly number[]): string {
  return shares.map(share => `${(100 * share).toFixed(1)} %`).join(', ')
}
